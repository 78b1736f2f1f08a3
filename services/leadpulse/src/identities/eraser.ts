import { externalIdHash, suppressionHash } from '@mp/contracts/contact';
import { LeadpulseContactErased } from '@mp/contracts/events/leadpulse';
import { createConfirmErasures } from '@mp/erasures/confirm-erasures';
import type { ErasuresStore, RequestedErasure } from '@mp/erasures/erasures-store';
import type { AccountId, ContactId } from '@mp/ids';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { EventsStore } from '../events/events-store.ts';
import type { VisitorsStore } from '../visitors/visitors-store.ts';
import type { IdentitiesStore } from './identities-store.ts';

type Deps = {
  mongo: Mongo;
  outbox: Outbox;
  events: EventsStore;
  visitors: VisitorsStore;
  identities: IdentitiesStore;
  erasures: ErasuresStore;
  logger: Logger;
  /** Keeps what the events of a contact count for, before they are cleared of it. */
  beforeForgetting: (accountId: AccountId, contactId: ContactId) => Promise<void>;
};

/** By these, what was told to contacts of the person is found in the outbox. */
const hashesOf = (accountId: AccountId, claims: readonly string[]) =>
  claims.flatMap((claim) => {
    const value = claim.slice(claim.indexOf(':') + 1);
    if (claim.startsWith('external:')) return externalIdHash(accountId, value);
    return claim.startsWith('email:') ? suppressionHash(accountId, 'email', value) : [];
  });

/** Clears the data of deleted contacts, and confirms the erasure of erased ones. */
export function createEraser({ mongo, outbox, events, visitors, identities, erasures, logger, beforeForgetting }: Deps) {
  async function forgetAll(signal: AbortSignal) {
    while (!signal.aborted) {
      const now = new Date();
      const gone = await identities.nextToForget(now);
      if (!gone) return;
      const { accountId, contactId, claims, erased } = gone;
      await beforeForgetting(accountId, contactId);
      const removed = {
        visitors: await visitors.forget(accountId, contactId, claims, erased),
        events: await events.forget(accountId, contactId, claims, erased),
      };
      if (erased) await outbox.erase(accountId, hashesOf(accountId, claims));
      await identities.markForgotten(accountId, contactId, removed, now);
    }
  }

  /** Confirms an erasure once all data of the contact is removed. After a crash it runs again. */
  async function confirm({ id, accountId, contactId, contactIds, correlationId }: RequestedErasure) {
    const cleared = await identities.cleared(accountId, contactIds);
    if (!cleared) return false;
    await erasures.removed(id, { copies: await outbox.erase(accountId, contactIds) });
    await mongo.transaction({ correlationId, causationId: null }, async (tx) => {
      const counted = await erasures.confirmed(tx, id);
      if (!counted) return;
      const receipt = { erasure_id: id, contact_id: contactId, removed: { ...cleared, ...counted }, at: new Date().toISOString() };
      await outbox.add(tx, LeadpulseContactErased, accountId, receipt);
    });
    return true;
  }

  const confirmSome = createConfirmErasures({ erasures, logger, confirm });

  return async function erase(signal: AbortSignal) {
    await forgetAll(signal);
    return confirmSome(signal);
  };
}
