import { FormConfirmed, FormSubmitted } from '@mp/contracts/events/contacts';
import type { AccountId } from '@mp/ids';
import { type EventHandler, on } from '@mp/service-kit/consume';
import type { Logger } from '@mp/service-kit/logger';
import type { SettingsStore } from '../settings/settings-store.ts';
import { admitEvent } from './admit-event.ts';
import { isRejection, newEvent } from './event.ts';
import { EventBody } from './event-body.ts';
import type { Ingest } from './ingest.ts';

type Deps = { ingest: Pick<Ingest, 'store'>; settings: Pick<SettingsStore, 'cached'>; logger: Pick<Logger, 'warn'> };

type Identified = { key: string; contactId: string; visitor: string | null; at: string };

/** Identifies the visitor of the page that embeds a form, at the time of the submission. Contacts names it only if that is certain. */
export function onFormVisitor({ ingest, settings, logger }: Deps): EventHandler[] {
  async function identify(accountId: AccountId, { key, contactId, visitor, at }: Identified) {
    if (visitor === null) return;
    const body = EventBody.safeParse({
      ...{ event: '$identify', visitor_id: visitor, contact_id: contactId, timestamp: at, message_id: `form ${key}` },
    });
    const chosen = await settings.cached(accountId);
    const made = body.success
      ? admitEvent(newEvent(accountId, body.data, { now: new Date(), maxDays: chosen.retention_days }), chosen)
      : undefined;
    if (made && !isRejection(made)) await ingest.store([{ event: made }]);
    else logger.warn({ reason: body.error?.issues[0]?.message }, 'the visitor of a form cannot be identified');
  }
  return [
    on(FormSubmitted, (_tx, { account_id, data: { submission_id: key, contact_id: contactId, visitor_id: visitor, at } }) =>
      identify(account_id, { key, contactId, visitor, at }),
    ),
    on(FormConfirmed, (_tx, { account_id, data: { opt_in_id: key, contact_id: contactId, visitor_id: visitor, submitted_at: at } }) =>
      identify(account_id, { key, contactId, visitor, at }),
    ),
  ];
}
