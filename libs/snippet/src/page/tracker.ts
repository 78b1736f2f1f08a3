import { createDelivery } from './delivery.ts';
import { isExcluded, storeExclusion } from './exclusion.ts';
import { trackInteractions } from './interactions.ts';
import { takeLinkToken } from './link-token.ts';
import { localStore } from './local-store.ts';
import { contextOf, randomId } from './page-event.ts';
import { forgetVisitor, type StorageKind, visitorId } from './visitor-id.ts';

export type Options = {
  /** The publishable key of the site. */
  key: string;
  /** The URL of `/ingest/v1/events`. */
  endpoint: string;
  /** Where the ID of the visitor is stored; by default nowhere. */
  storage?: StorageKind;
  /** Whether events wait for `consent('granted')`. */
  consentRequired?: boolean;
  /** Whether Do Not Track and Global Privacy Control are ignored. */
  ignoreSignals?: boolean;
  /** Whether page views are only sent by `page()`. */
  manual?: boolean;
  /** What else is tracked: `outbound`, `downloads`, `forms`, `engagement`. */
  interactions?: readonly string[];
};

export type Tracker = ReturnType<typeof createTracker>;

/** Privacy signals of the browser. */
const isOptedOut = () => ('globalPrivacyControl' in navigator && navigator.globalPrivacyControl === true) || navigator.doNotTrack === '1';

/** Tracks one page, until it is unloaded. */
export function createTracker({ key, endpoint, storage = 'none', ...options }: Options) {
  let consent = !options.ignoreSignals && isOptedOut() ? 'denied' : options.consentRequired ? 'pending' : 'granted';
  let viewed: string | undefined;
  let referrer = document.referrer;

  const linkToken = takeLinkToken();

  // Before the delivery, which sends what is queued when the page is hidden: the last measurement is part of it.
  const interactions = trackInteractions(options.interactions ?? [], (event, properties) => record(event, { properties }));

  const delivery = createDelivery({
    url: `${endpoint}?key=${key}`,
    visitorId: () => visitorId(storage),
    store: () => (storage === 'local' ? localStore() : undefined),
  });

  function record(event: string, fields: { properties?: object | undefined; value?: object | undefined; token?: string | undefined }) {
    if (consent === 'denied' || isExcluded()) return;
    delivery.add({ event, message_id: randomId(), timestamp: new Date().toISOString(), ...fields, context: contextOf(referrer) });
  }

  const address = () => location.href.split('#')[0] ?? '';

  function page(properties?: object) {
    if (viewed !== undefined) {
      interactions.leavePage();
      referrer = viewed;
    }
    viewed = address();
    record('$pageview', { properties });
  }

  function onNavigation() {
    if (address() !== viewed) page();
  }

  if (!options.manual) {
    const { pushState } = history;
    history.pushState = function (...args) {
      pushState.apply(this, args);
      // Frameworks set the title after the address.
      setTimeout(onNavigation);
    };
    addEventListener('popstate', () => setTimeout(onNavigation));
    // A page that returns from the back/forward cache is viewed again.
    addEventListener('pageshow', ({ persisted }) => persisted && page());
    if ('prerendering' in document && document.prerendering) document.addEventListener('prerenderingchange', () => page());
    else page();
  }
  if (linkToken !== undefined) record('$identify', { token: linkToken });
  function start() {
    if (consent === 'granted' && !isExcluded()) delivery.start();
  }
  start();

  return {
    page,
    track: (event: string, properties?: object, more: { value?: object } = {}) => record(event, { properties, value: more.value }),

    /** Identifies the visitor with a token that the server of the site signed. */
    identify: ({ token }: { token: string }) => record('$identify', { token }),

    consent(given: 'granted' | 'denied') {
      const before = consent;
      consent = given;
      if (given === 'denied') {
        delivery.stop();
        forgetVisitor(storage);
      } else if (before !== 'granted') {
        start();
        if (before === 'denied' && !options.manual) page();
      }
    },

    /** Excludes visits with this browser from now on, or with `false`, counts them again. */
    exclude(excluded = true) {
      const before = isExcluded();
      storeExclusion(excluded);
      const after = isExcluded();
      if (after) delivery.stop();
      else if (before) start();
      console.info(`mp: visits with this browser are ${after ? 'not ' : ''}counted here`);
    },

    /** Forgets the visitor, such as after a sign-out. */
    reset: () => forgetVisitor(storage),
  };
}
