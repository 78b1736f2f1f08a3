import type { EmailFigures } from '@mp/contracts/email-figures';
import { WorkflowEmails } from '@mp/contracts/requests/campaigns';
import { EventContactsCount, EventContactsPage } from '@mp/contracts/requests/leadpulse';
import type { Broker } from '@mp/service-kit/broker';
import type { z } from 'zod';

export const noEmails: EmailFigures = {
  ...{ accepted: 0, opened: 0, clicked: 0, unsubscribed: 0, bounced: 0, converted: 0, conversions: 0, revenue: [] },
};

type Reports = {
  /** What came of the emails of a workflow. */
  emails: (query: z.output<typeof WorkflowEmails.request>) => z.output<typeof WorkflowEmails.reply>;
  /** The contacts that had an event in the past, as leadpulse would find them. */
  people: (query: z.output<typeof EventContactsCount.request>) => z.output<typeof EventContactsPage.reply>['people'];
};

/** The reports of an account that has sent nothing, and whose contacts had no events. */
export const noReports = (clock: () => Date): Reports => ({
  emails: () => ({ as_of: clock().toISOString(), emails: noEmails, steps: [] }),
  people: () => [],
});

/** What campaigns and leadpulse reply about the past. */
export async function replyToReports(broker: Pick<Broker, 'reply'>, play: Reports) {
  await broker.reply(WorkflowEmails, async (query) => play.emails(query));
  await broker.reply(EventContactsCount, async (query) => ({ contacts: play.people(query).length, exact: true }));
  await broker.reply(EventContactsPage, async ({ after, limit, ...query }) => {
    const rest = play.people(query).filter(({ contact_id }) => after === null || contact_id > after);
    const people = rest.sort((a, b) => (a.contact_id < b.contact_id ? -1 : 1)).slice(0, limit);
    return { people, next: rest.length > limit ? (people.at(-1)?.contact_id ?? null) : null };
  });
}
