import { findContacts } from '@mp/contracts/requests/find-contacts';
import { type AccountId, trustedId } from '@mp/ids';
import { backoff } from '@mp/service-kit/backoff';
import type { Broker } from '@mp/service-kit/broker';
import { createFailureLog } from '@mp/service-kit/failure-log';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import { contactClaim } from './identity-rows.ts';
import { learnContacts, learnMerged, type Stores } from './learn-contact.ts';

type Parts = { broker: Pick<Broker, 'request' | 'ready'>; mongo: Mongo; logger: Logger };

const replyMs = 1_000;

/** A single missing reply says little about the next one. After this many in a row, the following batches do not wait. */
const maxFailuresInARow = 3;
const [shortestPauseMs, longestPauseMs] = [250, 10_000];

/**
 * Looks up claims with an unknown contact in the contacts service, once. Without a reply, counting continues: the claims are
 * resolved by the contact's own event or by the next look-up.
 */
export function createLookUpContacts({ broker, mongo, logger }: Parts, stores: Stores) {
  const asking = createFailureLog(logger, 'the contacts service did not reply; visitors will be identified later');
  let failures = 0;
  let pausedUntil = 0;

  return async function lookUpContacts(accountId: AccountId, claims: readonly string[]) {
    if (!broker.ready() || Date.now() < pausedUntil) return;
    const named = (kind: string) => claims.filter((claim) => claim.startsWith(`${kind}:`)).map((claim) => claim.slice(kind.length + 1));
    const [ids, emails, externalIds] = [named('contact').map((id) => trustedId<'contact'>(id)), named('email'), named('external')];
    const requested = [
      ...ids.map(contactClaim),
      ...emails.map((email) => `email:${email}`),
      ...externalIds.map((externalId) => `external:${externalId}`),
    ];
    if (requested.length === 0) return;
    try {
      await findContacts(
        (request, wanted) => broker.request(request, wanted, replyMs),
        { account_id: accountId, ids, emails, external_ids: externalIds },
        async (contacts, merged) => {
          for (const contact of contacts)
            await mongo.transaction({ correlationId: contact.id, causationId: null }, (tx) =>
              learnContacts(tx, stores, [{ accountId, contact }]),
            );
          for (const { id, into } of merged)
            await mongo.transaction({ correlationId: id, causationId: null }, (tx) =>
              learnMerged(tx, stores, accountId, { contactId: id, into }),
            );
        },
      );
      await stores.identities.markRequested(accountId, requested);
      failures = 0;
      asking.succeeded();
    } catch (error) {
      failures += 1;
      if (failures >= maxFailuresInARow) pausedUntil = Date.now() + backoff(failures - maxFailuresInARow, shortestPauseMs, longestPauseMs);
      asking.failed(error);
    }
  };
}
