import { createTracker, type Tracker } from './tracker.ts';

/**
 * The script of the page:
 * `<script async src="https://…/ingest/v1/mp.js" data-key="mp_pub_…"></script>`
 *
 * Attributes: `data-storage` (local, cookie), `data-consent="required"`, `data-signals="ignore"`, `data-manual`, `data-hash`, and
 * `data-track` with any of outbound, downloads, queries, forms and engagement. Calls made before the script has loaded wait in `mp.q`.
 */
type Call = [name: keyof Tracker, ...args: never[]];

declare global {
  interface Window {
    mp?: ((...call: Call) => void) & { q?: ArrayLike<unknown>[] };
  }
}

const script = document.currentScript;
if (script instanceof HTMLScriptElement) {
  const { key = '', storage, consent, signals, manual, hash, track = '' } = script.dataset;
  const tracker = createTracker({
    key,
    endpoint: new URL('events', script.src).href,
    storage: storage === 'local' || storage === 'cookie' ? storage : 'none',
    consentRequired: consent === 'required',
    ignoreSignals: signals === 'ignore',
    manual: manual !== undefined,
    hash: hash !== undefined,
    interactions: track.split(' '),
  });
  const waiting = window.mp?.q ?? [];
  // A wrong call is reported, and stops neither the page nor the calls after it.
  const run = (...[name, ...args]: unknown[]) => {
    try {
      Reflect.get(tracker, String(name))(...args);
    } catch (error) {
      console.warn(`mp: ${name} failed`, error);
    }
  };
  window.mp = run;
  for (const call of waiting) run(...Array.from(call));
}
