import { LRUCache } from 'lru-cache';
import { deferralSubject } from './deferral-subject.ts';
import type { Delivery } from './smtp-outcome.ts';

export type GateConfig = {
  /** The number of connections that all domains share. */
  connections: number;
  /** How long a domain rests after it rejected emails temporarily: `firstMs`, then twice as long each time. */
  rest: { firstMs: number; maxMs: number };
  /** A domain is slow while an email to it has waited this long for a response. */
  slowMs: number;
  now?: () => number;
};

/** An email that may take a connection. */
export type Visit = {
  /** Called when it has a connection, and again after a pause. */
  begun: () => void;
  /** Called when it does not wait for the receiver, but for this process. */
  paused: () => void;
  /** Called when it has ended. Returns until when the domain rests, if it does. `isRetry` if the email had been tried before. */
  leave: (delivery: Delivery | undefined, isRetry?: boolean) => Date | undefined;
};

type Flight = { begunAt?: number; timer?: NodeJS.Timeout };
type Waiter = { admit: (visit: Visit | Date) => void; isUrgent: boolean };
type Domain = { flights: Set<Flight>; waiters: Waiter[]; window: number; deferredInRow: number; failures: number; restsUntil: number };

/** A domain without emails in progress is forgotten when there are more than this. */
const maxDomains = 10_000;

/** This many temporary rejections in a row, of different emails that had been tried before, are about the domain. */
const maxDeferredInRow = 3;

export type DomainGate = ReturnType<typeof createDomainGate>;

/**
 * Decides when emails to a receiving domain may take a connection, so that a domain that is slow or rejects emails for now does
 * not take them from the others. A domain begins with a fifth of the connections, gets one more with each response about an
 * email, and never all of them. After a temporary rejection of its own it rests, and is then tried with one email. A rejection
 * of one email, such as by greylisting, delays that email alone.
 */
export function createDomainGate({ connections, rest, slowMs, now: clock = Date.now }: GateConfig) {
  const spare = connections < 3 ? 0 : Math.ceil(connections / 5);
  const maxWindow = connections - spare;
  const firstWindow = spare === 0 ? connections : spare;
  const idle = new LRUCache<string, Domain>({ max: maxDomains });
  const busy = new Map<string, Domain>();

  const find = (key: string): Domain | undefined => busy.get(key) ?? idle.get(key);

  const isSlow = ({ flights }: Domain, now: number) => [...flights].some(({ begunAt }) => begunAt !== undefined && now - begunAt >= slowMs);

  /** When an email that has to leave the in-memory queue now can be tried again. */
  function laterThan(domain: Domain, isUrgent: boolean, now: number): Date | undefined {
    if (!isUrgent && domain.restsUntil > now) return new Date(domain.restsUntil);
    if (domain.failures === 0 && !isSlow(domain, now)) return undefined;
    return domain.flights.size + domain.waiters.length >= 2 * domain.window ? new Date(now + slowMs) : undefined;
  }

  /** Admits waiting emails, and postpones those that would wait too long. */
  function settle(key: string, domain: Domain) {
    const now = clock();
    const suspicious = domain.failures > 0 || isSlow(domain, now);
    const staying: Waiter[] = [];
    for (const waiter of domain.waiters) {
      if (!waiter.isUrgent && domain.restsUntil > now) waiter.admit(new Date(domain.restsUntil));
      else if (domain.flights.size < domain.window) waiter.admit(visit(key, domain));
      else if (suspicious && staying.length >= domain.window) waiter.admit(new Date(now + slowMs));
      else staying.push(waiter);
    }
    domain.waiters = staying;
    if (domain.flights.size + domain.waiters.length > 0) return;
    busy.delete(key);
    idle.set(key, domain);
  }

  function learn(domain: Domain, delivery: Delivery | undefined, isRetry: boolean) {
    if (delivery?.kind !== 'accepted' && delivery?.kind !== 'refused' && delivery?.kind !== 'deferred') return undefined;
    const now = clock();
    const about = delivery.kind === 'deferred' ? deferralSubject(delivery) : 'email';
    if (about === 'email') {
      domain.deferredInRow = 0;
      if (delivery.kind !== 'deferred' && now >= domain.restsUntil) domain.failures = 0;
      domain.window = Math.min(maxWindow, domain.window + 1);
      return undefined;
    }
    if (about === 'unknown') {
      // Greylisting without a code rejects every first attempt.
      if (!isRetry) return undefined;
      domain.deferredInRow += 1;
      if (domain.deferredInRow < maxDeferredInRow) return undefined;
    }
    domain.window = 1;
    if (domain.restsUntil <= now) {
      domain.failures += 1;
      domain.restsUntil = now + Math.min(rest.maxMs, rest.firstMs * 2 ** (domain.failures - 1));
    }
    return new Date(domain.restsUntil);
  }

  function visit(key: string, domain: Domain): Visit {
    const flight: Flight = {};
    domain.flights.add(flight);
    return {
      begun() {
        clearTimeout(flight.timer);
        flight.begunAt = clock();
        flight.timer = setTimeout(() => settle(key, domain), slowMs + 1).unref();
      },
      paused() {
        clearTimeout(flight.timer);
        delete flight.begunAt;
      },
      leave(delivery, isRetry = false) {
        clearTimeout(flight.timer);
        domain.flights.delete(flight);
        const until = learn(domain, delivery, isRetry);
        settle(key, domain);
        return until;
      },
    };
  }

  return {
    /** Until when an email to this domain has to wait, before it is composed; undefined if it may be tried. */
    closedUntil(key: string): Date | undefined {
      const domain = find(key);
      return domain && laterThan(domain, false, clock());
    },

    /** Waits until the email may take a connection. If it has to leave the queue, returns when to try it again. */
    async enter(key: string, isUrgent: boolean): Promise<Visit | Date> {
      const domain = find(key) ?? { flights: new Set(), waiters: [], window: firstWindow, deferredInRow: 0, failures: 0, restsUntil: 0 };
      const later = laterThan(domain, isUrgent, clock());
      if (later) return later;
      idle.delete(key);
      busy.set(key, domain);
      if (domain.flights.size < domain.window) return visit(key, domain);
      return new Promise((admit) => {
        const waiter = { admit, isUrgent };
        if (isUrgent) domain.waiters.unshift(waiter);
        else domain.waiters.push(waiter);
      });
    },
  };
}
