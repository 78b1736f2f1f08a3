import type { AccountId } from '@mp/ids';
import { isDuplicateKey, prepareCollection } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { DomainThrottle } from '../../settings/settings.ts';
import { allowanceOf } from './throttle-allowance.ts';

/**
 * `free_at` is when the next email is allowed, `planned_at` until when later emails have been given their time; epoch milliseconds.
 * `settings` is the revision of the settings that both follow from.
 */
type ThrottleDocument = { _id: string; account_id: AccountId; free_at: number; planned_at: number; settings?: number; revision: number };

/** How many emails may be sent now, and when each of the others is due. */
type Reserved = { count: number; laterAt: (index: number) => Date };

export type DomainThrottles = ReturnType<typeof createDomainThrottles>;

/** Raising a throttle takes effect within this time, because no email is planned beyond it. */
const horizonMs = 15 * 60_000;

const maxTries = 5;
const busyMs = 100;

/** The throttles of sending and receiving domains, which all workers share. */
export function createDomainThrottles(db: Db) {
  const throttles = db.collection<ThrottleDocument>('throttles');
  const idOf = (accountId: AccountId, { side, domain }: DomainThrottle) => `${accountId} ${side} ${domain}`;

  /** Returns false if another worker has changed it. */
  async function replace(document: ThrottleDocument, revision: number | undefined): Promise<boolean> {
    const { _id, account_id } = document;
    try {
      const own = { _id, account_id, revision: revision ?? { $exists: false } };
      const { matchedCount, upsertedCount } = await throttles.replaceOne(own, document, { upsert: revision === undefined });
      return matchedCount + upsertedCount === 1;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  return {
    prepare: () => prepareCollection(throttles, [{ key: { account_id: 1 }, name: 'account' }], db),

    /**
     * Reserves as many of `wanted` emails as the throttle allows, and plans the others one after the other. After a change of the
     * settings it plans anew, because the emails that were planned before are due again.
     */
    async reserve(accountId: AccountId, throttle: DomainThrottle, wanted: number, settings: number): Promise<Reserved> {
      const { per_minute: perMinute } = throttle;
      const _id = idOf(accountId, throttle);
      for (let attempt = 0; attempt < maxTries; attempt += 1) {
        const known = await throttles.findOne({ _id, account_id: accountId });
        const now = Date.now();
        const each = 60_000 / perMinute;
        const isNew = (known?.settings ?? 0) < settings;
        const free = known ? Math.min(known.free_at, isNew ? now + each : known.free_at) : undefined;
        const { count, freeAt } = allowanceOf({ freeAt: free, perMinute }, wanted, now);
        const latest = now + horizonMs;
        const from = Math.min(latest, Math.max(isNew ? 0 : (known?.planned_at ?? 0), freeAt));
        const plannedAt = Math.min(latest, from + (wanted - count) * each);
        const revision = (known?.revision ?? 0) + 1;
        const inForce = Math.max(known?.settings ?? 0, settings);
        const next = { _id, account_id: accountId, free_at: freeAt, planned_at: plannedAt, settings: inForce, revision };
        if (await replace(next, known?.revision))
          return { count, laterAt: (index) => new Date(Math.ceil(Math.min(latest, from + index * each))) };
      }
      return { count: 0, laterAt: () => new Date(Date.now() + busyMs) };
    },

    /** Returns emails that were reserved and are not sent. */
    async giveBack(accountId: AccountId, throttle: DomainThrottle, count: number) {
      if (count === 0) return;
      const _id = idOf(accountId, throttle);
      await throttles.updateOne(
        { _id, account_id: accountId },
        { $inc: { free_at: -count * (60_000 / throttle.per_minute), revision: 1 } },
      );
    },
  };
}

type Addressed = { domain: string };

/** `giveBack` returns the allowance of emails that were allowed and are not sent. */
type Throttled<Email> = {
  allowed: Email[];
  later: { email: Email; until: Date }[];
  giveBack: (unsent: readonly Email[]) => Promise<void>;
};

/** Which of these emails, all from one domain, the throttles allow now, and when each of the others is due. */
export async function throttled<Email extends Addressed>(
  { reserve, giveBack }: Pick<DomainThrottles, 'reserve' | 'giveBack'>,
  { accountId, all, from, revision }: { accountId: AccountId; all: readonly DomainThrottle[]; from: string; revision: number },
  emails: readonly Email[],
): Promise<Throttled<Email>> {
  const later: Throttled<Email>['later'] = [];
  const find = (side: DomainThrottle['side'], domain: string) => all.find((one) => one.side === side && one.domain === domain);
  const postpone = (some: readonly Email[], laterAt: Reserved['laterAt']) =>
    later.push(...some.map((email, index) => ({ email, until: laterAt(index) })));

  const giveBackReceiving = async (unsent: readonly Email[]) => {
    for (const [domain, some] of Map.groupBy(unsent, (email) => email.domain)) {
      const throttle = find('receiving', domain);
      if (throttle) await giveBack(accountId, throttle, some.length);
    }
  };

  const candidates: Email[] = [];
  for (const [domain, some] of Map.groupBy(emails, (email) => email.domain)) {
    const throttle = find('receiving', domain);
    const { count, laterAt } = throttle
      ? await reserve(accountId, throttle, some.length, revision)
      : { count: some.length, laterAt: () => new Date() };
    postpone(some.slice(count), laterAt);
    candidates.push(...some.slice(0, count));
  }

  const sending = find('sending', from);
  if (!sending || candidates.length === 0) return { allowed: candidates, later, giveBack: giveBackReceiving };
  const { count, laterAt } = await reserve(accountId, sending, candidates.length, revision);
  postpone(candidates.slice(count), laterAt);
  await giveBackReceiving(candidates.slice(count));
  return {
    allowed: candidates.slice(0, count),
    later,
    giveBack: async (unsent) => {
      await giveBackReceiving(unsent);
      await giveBack(accountId, sending, unsent.length);
    },
  };
}
