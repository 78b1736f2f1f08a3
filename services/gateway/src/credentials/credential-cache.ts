import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { AccountId, PrincipalId } from '@mp/ids';
import { createBatchLoader } from '@mp/service-kit/batches';
import { LRUCache } from 'lru-cache';
import type { Credential } from './credential.ts';

export type CredentialCache = ReturnType<typeof createCredentialCache>;

type Found = { credential: Credential; loadedAt: number; freshMs: number };

type CacheConfig = {
  /** Reads the credentials with these hashes, except invalid ones. */
  load: (hashes: readonly string[]) => Promise<ReadonlyMap<string, Credential>>;
  now: () => number;
  onRefreshFailed?: (error: unknown) => void;
};

/**
 * Entries younger than this are used as they are. Older ones are used too, but refreshed in the background. The limit is
 * random per entry, so that entries read together are not always refreshed together.
 */
const freshMs = { min: 5_000, max: 8_500 };

/** Older entries are never used. This is the longest a revoked key keeps working if the NATS message is lost. */
const maxAgeMs = 10_000;

/** Stale entries are refreshed together at this interval, so that thousands of keys cost only a few reads. */
const refreshEveryMs = 100;

/** Larger reads would delay concurrent requests. */
const maxPerRead = 50;

/** Credentials from addresses with too many failures are read separately, in batches too small to delay others. */
const maxSuspectsPerRead = 20;

/** How long an unknown secret is not looked up again. Short, because the key may just have been created. */
const negativeMs = 1_000;

/**
 * Caches credentials and unknown secrets by hash. The two are bounded separately, so that a flood of wrong secrets cannot
 * evict valid credentials.
 */
export function createCredentialCache({ load, now, onRefreshFailed = () => undefined }: CacheConfig) {
  const known = new LRUCache<string, Found>({ max: 50_000 });
  const unknown = new LRUCache<string, number>({ max: 10_000 });
  const loading = new Map<string, Promise<Credential | undefined>>();
  const loadOne = createBatchLoader(load);
  const loadSuspect = createBatchLoader(load, maxSuspectsPerRead);

  /** Concurrent requests with the same hash share one read. */
  function read(hash: string, isSuspect: boolean): Promise<Credential | undefined> {
    const running = loading.get(hash);
    if (running) return running;
    const startedAt = now();
    const reading = (isSuspect ? loadSuspect : loadOne)(hash).then((credential) => {
      // If it was forgotten during the read, the result may be older than the revocation.
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
    const stay = { loadedAt: startedAt, freshMs: randomInt(freshMs.min, freshMs.max) };
    const entry = known.get(hash);
    // Keep the old object if nothing changed: thousands of new ones every few seconds would be promoted to the old generation.
    if (entry && isDeepStrictEqual(entry.credential, credential)) Object.assign(entry, stay);
    else known.set(hash, { credential, ...stay });
  }

  let stale = new Set<string>();
  /** The hashes being refreshed, except those forgotten in the meantime. */
  let refreshing: Set<string> | undefined;

  function refreshSoon(hash: string) {
    if (refreshing?.has(hash)) return;
    const isAwaited = stale.size > 0;
    stale.add(hash);
    if (!isAwaited) setTimeout(() => void refresh(), refreshEveryMs).unref();
  }

  async function refresh() {
    // The previous refresh is slow; start after it.
    if (refreshing) return void setTimeout(() => void refresh(), refreshEveryMs).unref();
    const batch = stale;
    stale = new Set();
    refreshing = batch;
    const hashes = [...batch];
    try {
      for (let from = 0; from < hashes.length; from += maxPerRead) {
        const startedAt = now();
        const chunk = hashes.slice(from, from + maxPerRead);
        const found = await load(chunk);
        for (const hash of chunk) if (batch.has(hash)) keep(hash, found.get(hash), startedAt);
      }
    } catch (error) {
      onRefreshFailed(error);
    } finally {
      refreshing = undefined;
    }
  }

  return {
    /** The credential, if it is cached and young enough. Never reads the database. */
    warm(hash: string): Credential | undefined {
      // No get: active entries are set every few seconds anyway, which keeps the LRU order.
      const entry = known.peek(hash);
      if (!entry) return undefined;
      const age = now() - entry.loadedAt;
      if (age < 0 || age > maxAgeMs) return undefined;
      // Use the hash that the cache already holds, so that the one of this request can be collected.
      if (age > entry.freshMs) refreshSoon(entry.credential.hash);
      return entry.credential;
    },

    /** Throws if the database is unavailable and nothing young enough is cached: authentication never fails open. */
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

    /** Drops all credentials of an account, after its plan or status changed. */
    forgetAccount(accountId: AccountId) {
      for (const [hash, { credential }] of known.entries()) if (credential.account.id === accountId) known.delete(hash);
      loading.clear();
      refreshing?.clear();
    },

    /** Drops all credentials of one key, OAuth client or user, and those that the holder created or granted. */
    forgetHolder(id: PrincipalId) {
      for (const [hash, { credential }] of known.entries()) if (credential.id === id || credential.created_by === id) known.delete(hash);
      loading.clear();
      refreshing?.clear();
    },

    size: () => ({ known: known.size, unknown: unknown.size }),
  };
}

/** Adapts a loader of single credentials to batches, for kinds of which few are used at once. */
export const oneByOne =
  (load: (hash: string) => Promise<Credential | undefined>) =>
  async (hashes: readonly string[]): Promise<ReadonlyMap<string, Credential>> => {
    const found = await Promise.all(hashes.map(load));
    return new Map(found.flatMap((credential) => (credential ? [[credential.hash, credential]] : [])));
  };
