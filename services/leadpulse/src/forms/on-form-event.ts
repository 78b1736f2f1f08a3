import { FormConfirmed, FormSubmitted } from '@mp/contracts/events/contacts';
import type { AccountId } from '@mp/ids';
import { type EventHandler, on } from '@mp/service-kit/consume';
import type { Logger } from '@mp/service-kit/logger';
import { admitEvent } from '../events/admit-event.ts';
import { isRejection, newEvent } from '../events/event.ts';
import { EventBody } from '../events/event-body.ts';
import type { WriteBuffer } from '../events/write-buffer.ts';
import type { IdentitiesStore } from '../identities/identities-store.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import type { FormContactsStore } from './form-contacts-store.ts';

type Deps = {
  writeBuffer: Pick<WriteBuffer, 'store'>;
  settings: Pick<SettingsStore, 'cached'>;
  identities: Pick<IdentitiesStore, 'isGone'>;
  formContacts: Pick<FormContactsStore, 'add'>;
  logger: Pick<Logger, 'warn'>;
};

type Identified = { key: string; contactId: string; visitor: string | null; at: string };

/**
 * Stores by which form a contact came, and identifies the visitor of the page that embeds the form, at the time of the submission. Contacts
 * names the visitor only if that is certain.
 */
export function onFormEvent({ writeBuffer, settings, identities, formContacts, logger }: Deps): EventHandler[] {
  async function identify(accountId: AccountId, { key, contactId, visitor, at }: Identified) {
    if (visitor === null) return;
    const body = EventBody.safeParse({
      ...{ event: '$identify', visitor_id: visitor, contact_id: contactId, timestamp: at, message_id: `form ${key}` },
    });
    const chosen = await settings.cached(accountId);
    const made = body.success
      ? admitEvent(newEvent(accountId, body.data, { now: new Date(), maxDays: chosen.retention_days }), chosen)
      : undefined;
    if (made && !isRejection(made)) await writeBuffer.store([{ event: made }]);
    else logger.warn({ reason: body.error?.issues[0]?.message }, 'the visitor of a form cannot be identified');
  }
  return [
    on(FormSubmitted, async (tx, { account_id, data: { submission_id: key, contact_id, form_id, is_new, visitor_id: visitor, at } }) => {
      if (is_new && !(await identities.isGone(tx, account_id, contact_id)))
        await formContacts.add(tx, account_id, { contact_id, form_id, at: new Date(at) });
      await identify(account_id, { key, contactId: contact_id, visitor, at });
    }),
    on(FormConfirmed, (_tx, { account_id, data: { opt_in_id: key, contact_id: contactId, visitor_id: visitor, submitted_at: at } }) =>
      identify(account_id, { key, contactId, visitor, at }),
    ),
  ];
}
