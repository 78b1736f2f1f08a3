import { type Contact, emailKey } from '@mp/contracts/contact';
import { findContacts as askForContacts } from '@mp/contracts/requests/find-contacts';
import { type AccountId, type ContactId, newId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Mongo, Origin } from '@mp/service-kit/mongo';
import type { ApplyContact } from './apply-contact.ts';
import type { ProfilesStore } from './profiles-store.ts';

/** A contact as callers name it. */
export type Named = { id: ContactId } | { email: string } | { external_id: string };

export type FindContacts = ReturnType<typeof createFindContacts>;

type Deps = { mongo: Mongo; broker: Pick<Broker, 'request'>; profiles: ProfilesStore; contacts: Pick<ApplyContact, 'apply'> };

const atOnce = 200;

/**
 * Finds contacts by ID, which may be one from before a merge, email or external ID, and returns their IDs in the order given;
 * undefined for contacts that the account does not have. A contact whose event has not arrived yet is applied, so that it has a
 * profile here; `origin` is that of the events this writes. Throws SERVICE_UNAVAILABLE if the contacts service does not reply.
 */
export function createFindContacts({ mongo, broker, profiles, contacts }: Deps) {
  async function applyAll(accountId: AccountId, unknown: readonly Contact[], origin: Origin) {
    for (let from = 0; from < unknown.length; from += atOnce)
      await mongo.transaction(origin, (tx) => contacts.apply(tx, accountId, unknown.slice(from, from + atOnce)));
  }

  return async function findContacts(
    accountId: AccountId,
    named: readonly Named[],
    origin: Origin = { correlationId: newId('request'), causationId: null },
  ): Promise<(ContactId | undefined)[]> {
    const ids = named.flatMap((one) => ('id' in one ? [one.id] : []));
    const known = new Set((await profiles.find(accountId, ids)).keys());
    const idOf = new Map<string, ContactId>([...known].map((id) => [`id ${id}`, id]));
    const wanted = {
      ids: ids.filter((id) => !known.has(id)),
      emails: named.flatMap((one) => ('email' in one ? [emailKey(one.email)] : [])),
      external_ids: named.flatMap((one) => ('external_id' in one ? [one.external_id] : [])),
    };
    await askForContacts(broker.request, { account_id: accountId, ...wanted }, async (found, merged) => {
      for (const { id, email, external_id } of found) {
        idOf.set(`id ${id}`, id);
        if (email !== null) idOf.set(`email ${emailKey(email)}`, id);
        if (external_id !== null) idOf.set(`external ${external_id}`, id);
      }
      for (const { id, into } of merged) idOf.set(`id ${id}`, into);
      const here = await profiles.find(
        accountId,
        found.map(({ id }) => id),
      );
      await applyAll(
        accountId,
        found.filter(({ id }) => !here.has(id)),
        origin,
      );
    });
    return named.map((one) => {
      if ('id' in one) return idOf.get(`id ${one.id}`);
      return 'email' in one ? idOf.get(`email ${emailKey(one.email)}`) : idOf.get(`external ${one.external_id}`);
    });
  };
}
