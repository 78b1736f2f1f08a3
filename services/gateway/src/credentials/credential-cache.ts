import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { findTogether } from '@mp/service-kit/find-together';
import { LRUCache } from 'lru-cache';
import type { Credential } from './credential.ts';

export type CredentialCache = ReturnType<typeof createCredentialCache>;

type Found = { credential: Credential; loadedAt: number; freshMs: number };

type CacheConfig = {
  /** Reads the credentials of these hashes, but for those that are not valid. */
  load: (hashes: readonly string[]) => Promise<ReadonlyMap<string, Credential>>;
  now: () => number;
  onRefreshFailed?: (error: unknown) => void;
};

/**
 * Younger entries are used as they are; older ones too, while they are read anew behind the request. Somewhat different
 * for each, so that those that were read together are not read together for ever.
 */
const freshMs = { least: 5_000, most: 8_500 };

/** Older entries are never used: the longest a revoked key can live on where NATS did not bring the news. */
const oldestMs = 10_000;

/** Those that are to be read anew are read together, so often: thousands of keys then cost a few reads. */
const refreshEveryMs = 100;

/** More in one read would hold up the requests that come meanwhile. */
const readAtOnce = 50;

/** Those that come from where too many wrong ones came are read by themselves, so few at a time that nobody else waits. */
const suspectsAtOnce = 20;

/** A wrong secret is not asked for again for this long; short, because the key may just have been made. */
const negativeMs = 1_000;

/**
 * What was lately found out about credentials, by hash. Both halves are bounded, and apart, so that a flood of wrong
 * secrets pushes out no right one.
 */
export function createCredentialCache({ load, now, onRefreshFailed = () => undefined }: CacheConfig) {
  const known = new LRUCache<string, Found>({ max: 50_000 });
  const unknown = new LRUCache<string, number>({ max: 10_000 });
  const loading = new Map<string, Promise<Credential | undefined>>();
  const loadOne = findTogether(load);
  const loadSuspect = findTogether(load, suspectsAtOnce);

  /** Requests that ask for the same hash at once share one read. */
  function read(hash: string, isSuspect: boolean): Promise<Credential | undefined> {
    const running = loading.get(hash);
    if (running) return running;
    const startedAt = now();
    const reading = (isSuspect ? loadSuspect : loadOne)(hash).then((credential) => {
      // Forgotten meanwhile: what was read may be older than the revocation.
      if (loading.get(hash) === reading) keep(hash, credential, startedAt);
      return credential;
    });
    loading.set(hash, reading);
    const done = () => loading.get(hash) === reading && loading.delete(hash);
    reading.then(done, done);
    return reading;
  }

  function keep(hash: string, credential: Credential | undefined, startedAt: number) {
    if (!credential) {
      known.delete(hash);
      unknown.set(hash, startedAt);
      return;
    }
    const stay = { loadedAt: startedAt, freshMs: randomInt(freshMs.least, freshMs.most) };
    const entry = known.get(hash);
    // What is as it was stays the object it was: thousands of new ones every few seconds would all grow old, and be collected dearly.
    if (entry && isDeepStrictEqual(entry.credential, credential)) Object.assign(entry, stay);
    else known.set(hash, { credential, ...stay });
  }

  let stale = new Set<string>();
  /** Those of them that are being read, but for what was forgotten meanwhile. */
  let refreshing: Set<string> | undefined;

  function refreshSoon(hash: string) {
    if (refreshing?.has(hash)) return;
    const isAwaited = stale.size > 0;
    stale.add(hash);
    if (!isAwaited) setTimeout(() => void refresh(), refreshEveryMs).unref();
  }

  async function refresh() {
    // Those that are still being read take longer than anybody would wait for; these are read after them.
    if (refreshing) return void setTimeout(() => void refresh(), refreshEveryMs).unref();
    const batch = stale;
    stale = new Set();
    refreshing = batch;
    const hashes = [...batch];
    try {
      for (let from = 0; from < hashes.length; from += readAtOnce) {
        const startedAt = now();
        const asked = hashes.slice(from, from + readAtOnce);
        const found = await load(asked);
        for (const hash of asked) if (batch.has(hash)) keep(hash, found.get(hash), startedAt);
      }
    } catch (error) {
      onRefreshFailed(error);
    } finally {
      refreshing = undefined;
    }
  }

  return {
    /** The credential without asking the database, when it is warm. */
    warm(hash: string): Credential | undefined {
      // Who is in use is read anew, and set, every few seconds: that keeps the order.
      const entry = known.peek(hash);
      if (!entry) return undefined;
      const age = now() - entry.loadedAt;
      if (age < 0 || age > oldestMs) return undefined;
      // By the text that is kept already: the one of this request may be collected with it.
      if (age > entry.freshMs) refreshSoon(entry.credential.hash);
      return entry.credential;
    },

    /** Throws when the database is away and nothing young enough is known: authentication never fails open. */
    async find(hash: string, { isSuspect = false } = {}): Promise<Credential | undefined> {
      const warm = this.warm(hash);
      if (warm) return warm;
      const missedAt = unknown.get(hash);
      if (missedAt !== undefined && Math.abs(now() - missedAt) < negativeMs) return undefined;
      return read(hash, isSuspect);
    },

    forget(hash: string) {
      known.delete(hash);
      unknown.delete(hash);
      loading.delete(hash);
      refreshing?.delete(hash);
    },

    /** After a change of plan or status every credential of the account is read anew. */
    forgetAccount(accountId: string) {
      for (const [hash, { credential }] of known.entries()) if (credential.account.id === accountId) known.delete(hash);
      loading.clear();
      refreshing?.clear();
    },

    /** The same for everything that one key, OAuth client or user shows. */
    forgetHolder(id: string) {
      for (const [hash, { credential }] of known.entries()) if (credential.id === id) known.delete(hash);
      loading.clear();
      refreshing?.clear();
    },

    size: () => ({ known: known.size, unknown: unknown.size }),
  };
}
