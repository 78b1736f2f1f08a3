import { externalIdHash, suppressionHash } from '@mp/contracts/contact';
import { LeadpulseContactErased } from '@mp/contracts/events/leadpulse';
import { createConfirmErasures } from '@mp/erasures/confirm-erasures';
import type { ErasuresStore, RequestedErasure } from '@mp/erasures/erasures-store';
import type { AccountId, ContactId } from '@mp/ids';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Background } from '@mp/service-kit/runner';
import { createRunner } from '@mp/service-kit/runner';
import type { EventsStore } from '../events/events-store.ts';
import type { VisitorsStore } from '../visitors/visitors-store.ts';
import { attributeEvents } from './attribute-events.ts';
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

const sweepMs = 300;

/** By these, what was told to contacts of the person is found in the outbox. */
const hashesOf = (accountId: AccountId, claims: readonly string[]) =>
  claims.flatMap((claim) => {
    const value = claim.slice(claim.indexOf(':') + 1);
    if (claim.startsWith('external:')) return externalIdHash(accountId, value);
    return claim.startsWith('email:') ? suppressionHash(accountId, 'email', value) : [];
  });

/** Attributes earlier events to identified contacts, and clears the data of deleted ones, a chunk at a time. */
export function createAttributionWorker(deps: Deps): Background {
  const { mongo, outbox, events, visitors, identities, erasures, logger, beforeForgetting } = deps;

  async function attributeAll(signal: AbortSignal) {
    while (!signal.aborted) {
      const visitor = await visitors.nextAttributing();
      if (!visitor) return;
      while (!signal.aborted && (await attributeEvents(deps, visitor.account_id, visitor.id)));
    }
  }

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

  return createRunner({
    logger,
    warning: 'attributing or erasing events failed; retrying',
    lookEveryMs: sweepMs,
    async work(signal) {
      await attributeAll(signal);
      await forgetAll(signal);
      return confirmSome(signal);
    },
  });
}
