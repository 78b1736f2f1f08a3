import { invalid } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import { windowMs } from '@mp/rules/duration';
import { z } from 'zod';
import type { EventsStore } from '../events/events-store.ts';
import type { IdentitiesStore } from '../identities/identities-store.ts';
import { type Attempt, createFunnelEvaluator } from './evaluate-funnel.ts';
import { matcherOf } from './event-match.ts';
import { funnelFields, namesRead } from './funnel-report.ts';
import { readMerges } from './report-kinds.ts';
import { reportFields, reportRange } from './report-range.ts';
import { maxEventsNow } from './run-report.ts';

const { from, to, timezone, include_bots } = reportFields;

/** Which people of a funnel are meant. */
export const funnelPeopleFields = {
  ...{ from, to, timezone, include_bots },
  ...funnelFields,
  step: z.number().int().min(1).max(10).describe('The number of the step, from 1.'),
  outcome: z
    .enum(['reached', 'dropped'])
    .default('reached')
    .describe('`reached`: the people who reached the step. `dropped`: those for whom it was the last one.'),
};

const FunnelPeople = z.object(funnelPeopleFields);
type FunnelPeople = z.output<typeof FunnelPeople>;

export type PeopleStores = { events: Pick<EventsStore, 'matching' | 'byPerson'>; identities: Pick<IdentitiesStore, 'merges'> };

type Page = { after?: string | undefined; limit: number };

/** Some people of a step of a funnel, by ID. Throws VALIDATION_ERROR. */
export async function readFunnelPeople(
  { events, identities }: PeopleStores,
  accountId: AccountId,
  body: FunnelPeople,
  { after, limit }: Page,
): Promise<Attempt[]> {
  const { steps, step, outcome } = body;
  if (step > steps.length) throw invalid('/step', 'out_of_range', `The funnel has ${steps.length} steps.`);
  const range = reportRange({ ...body, background: false });
  const query = { from: range.from, to: range.to, names: namesRead(body), bots: body.include_bots, after };
  if ((await events.matching(accountId, query, maxEventsNow + 1)) > maxEventsNow)
    throw invalid('/from', 'too_many_events', `The funnel reads more than ${maxEventsNow} events; use a shorter range.`);

  const found: Attempt[] = [];
  const isMeant = ({ times }: Attempt) => (outcome === 'reached' ? times.length >= step : times.length === step);
  const funnel = createFunnelEvaluator({
    steps: steps.map(matcherOf),
    windowMs: windowMs(body.window),
    isStrict: body.order === 'strict',
    onPerson(attempt) {
      if (isMeant(attempt)) found.push(attempt);
    },
  });
  for await (const event of events.byPerson(accountId, query, await readMerges({ identities }, accountId))) {
    funnel.add(event);
    if (found.length >= limit) return found;
  }
  funnel.finish();
  return found;
}

/** Whether the person is a contact; otherwise it is a visitor without one. */
export const isContact = ({ person, entry }: Attempt) => person !== entry.visitor;
