import { LRUCache } from 'lru-cache';
import type { Credential } from './credential.ts';

export type CredentialCache = ReturnType<typeof createCredentialCache>;

type Found = { credential: Credential; loadedAt: number };

type CacheConfig = {
  /** Reads the credential of this hash; undefined when there is none that is valid. */
  load: (hash: string) => Promise<Credential | undefined>;
  now: () => number;
  onRefreshFailed?: (error: unknown) => void;
};

/** Younger entries are used as they are; older ones too, while they are read anew behind the request. */
const freshMs = 5_000;

/** Older entries are never used: the longest a revoked key can live on where NATS did not bring the news. */
const oldestMs = 10_000;

/** Those that are to be read anew are read together, so often: thousands of keys then cost a few reads. */
const refreshEveryMs = 50;

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

  /** Requests that ask for the same hash at once share one read. */
  function read(hash: string): Promise<Credential | undefined> {
    const running = loading.get(hash);
    if (running) return running;
    const startedAt = now();
    const reading = load(hash).then((credential) => {
      // Forgotten meanwhile: what was read may be older than the revocation.
      if (loading.get(hash) !== reading) return credential;
      if (credential) known.set(hash, { credential, loadedAt: startedAt });
      else {
        known.delete(hash);
        unknown.set(hash, startedAt);
      }
      return credential;
    });
    loading.set(hash, reading);
    const done = () => loading.get(hash) === reading && loading.delete(hash);
    reading.then(done, done);
    return reading;
  }

  const stale = new Set<string>();

  function refreshSoon(hash: string) {
    const isAwaited = stale.size > 0;
    stale.add(hash);
    if (isAwaited) return;
    setTimeout(() => {
      for (const one of stale) read(one).catch(onRefreshFailed);
      stale.clear();
    }, refreshEveryMs).unref();
  }

  return {
    /** The credential without asking the database, when it is warm. */
    warm(hash: string): Credential | undefined {
      const entry = known.get(hash);
      if (!entry) return undefined;
      const age = now() - entry.loadedAt;
      if (age < 0 || age > oldestMs) return undefined;
      if (age > freshMs) refreshSoon(hash);
      return entry.credential;
    },

    /** Throws when the database is away and nothing young enough is known: authentication never fails open. */
    async find(hash: string): Promise<Credential | undefined> {
      const warm = this.warm(hash);
      if (warm) return warm;
      const missedAt = unknown.get(hash);
      if (missedAt !== undefined && Math.abs(now() - missedAt) < negativeMs) return undefined;
      return read(hash);
    },

    forget(hash: string) {
      known.delete(hash);
      unknown.delete(hash);
      loading.delete(hash);
    },

    /** After a change of plan or status every credential of the account is read anew. */
    forgetAccount(accountId: string) {
      for (const [hash, { credential }] of known.entries()) if (credential.account.id === accountId) known.delete(hash);
      loading.clear();
    },

    /** The same for everything that one key, OAuth client or user shows. */
    forgetHolder(id: string) {
      for (const [hash, { credential }] of known.entries()) if (credential.id === id) known.delete(hash);
      loading.clear();
    },

    size: () => ({ known: known.size, unknown: unknown.size }),
  };
}
