import { createDelivery } from './delivery.ts';
import { isExcluded, storeExclusion } from './exclusion.ts';
import { trackInteractions } from './interactions.ts';
import { takeLinkToken } from './link-token.ts';
import { readLocally, storeLocally } from './local-store.ts';
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
  /** Whether what follows `#` in the address names the page, as hash routers do. */
  hash?: boolean;
  /** What else is tracked: `outbound`, `downloads`, `forms`, `engagement`; with `queries`, links keep their query and hash. */
  interactions?: readonly string[];
};

export type Tracker = ReturnType<typeof createTracker>;

/** Where the choice of the visitor is stored, which needs no consent itself. */
const choice = 'mp_consent';

/** Privacy signals of the browser. */
const isOptedOut = () => Reflect.get(navigator, 'globalPrivacyControl') === true || navigator.doNotTrack === '1';

/** Tracks one page, until it is unloaded. */
export function createTracker({ key, endpoint, storage = 'none', ...options }: Options) {
  let consent =
    readLocally(choice) ?? (!options.ignoreSignals && isOptedOut() ? 'denied' : options.consentRequired ? 'pending' : 'granted');
  let viewed: string | undefined;
  let referrer = document.referrer;

  const linkToken = takeLinkToken();

  const address = () => (options.hash ? location.href : location.href.replace(/#.*/, ''));
  const path = () => location.pathname + (options.hash ? location.hash.replace(/\?.*/, '') : '');
  const currentContext = () => contextOf(path(), referrer);
  let viewedContext = currentContext();

  // Before the delivery, which sends what is queued when the page is hidden: the last measurement is part of it.
  const leavePage = trackInteractions(options.interactions ?? [], (event, properties) => record(event, { properties }));

  const delivery = createDelivery(`${endpoint}?key=${key}`, () => visitorId(storage), storage === 'local');

  function record(event: string, fields: { properties?: object | undefined; value?: object | undefined; token?: string | undefined }) {
    if (consent === 'denied' || isExcluded()) return;
    // A single-page application is at the address of the next page when engagement with the last one ends.
    const context = event === '$engagement' ? viewedContext : currentContext();
    delivery.add({ event, message_id: randomId(), timestamp: new Date().toISOString(), ...fields, context });
  }

  function page(properties?: object) {
    if (viewed) {
      leavePage();
      referrer = viewed;
    }
    viewed = address();
    viewedContext = currentContext();
    record('$pageview', { properties });
  }

  /** Applications set the title after the address. A page that is only prerendered has not been viewed yet. */
  const onNavigation = () => setTimeout(() => viewed && address() !== viewed && page());

  if (!options.manual) {
    for (const name of ['pushState', 'replaceState'] as const) {
      const change = history[name];
      history[name] = function (...args) {
        const before = path();
        const at = address();
        change.apply(this, args);
        // Applications also keep state, such as filters, in the query with `replaceState`.
        if (name === 'pushState' || path() !== before) onNavigation();
        else if (viewed === at) viewed = address();
      };
    }
    addEventListener('popstate', onNavigation);
    // A page that returns from the back/forward cache is viewed again.
    addEventListener('pageshow', ({ persisted }) => persisted && page());
    if (Reflect.get(document, 'prerendering')) document.addEventListener('prerenderingchange', () => page());
    else page();
  }
  if (linkToken) record('$identify', { token: linkToken });
  function start() {
    if (consent === 'granted' && !isExcluded()) delivery.start();
  }
  start();

  return {
    page,
    track: (event: string, properties?: object, more: { value?: object } = {}) => record(event, { properties, value: more.value }),

    /** Identifies the visitor with a token that the server of the site signed. */
    identify: ({ token }: { token: string }) => record('$identify', { token }),

    /** The choice of the visitor, for this page and all later ones. Nothing is sent unless it is `granted`. */
    consent(given: 'granted' | 'denied') {
      const before = consent;
      consent = given;
      storeLocally(choice, given);
      if (given === 'granted') {
        if (before !== given) {
          start();
          if (before === 'denied' && !options.manual) page();
        }
      } else {
        delivery.stop();
        forgetVisitor(storage);
      }
    },

    /** Excludes visits with this browser from now on, or with `false`, counts them again. */
    exclude(excluded = true) {
      const before = isExcluded();
      storeExclusion(excluded);
      const after = isExcluded();
      if (after) delivery.stop();
      else if (before) start();
      console.info(`mp: this browser is ${after ? 'not ' : ''}counted`);
    },

    /** Forgets the visitor, such as after a sign-out. */
    reset: () => forgetVisitor(storage),
  };
}
