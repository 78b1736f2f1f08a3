import { createFormFrame } from './form-frame.ts';
import { createMemory, onOccasion } from './occasion.ts';
import { createOverlay } from './overlay.ts';

/**
 * The tag of a form: `<script async src="https://…/f/embed.js" data-form="form_…"></script>`
 *
 * Attributes: `data-display` (inline, popup, bar); for the last two, `data-delay` in seconds, `data-scroll` in percent and `data-exit`, of
 * which the first counts, and `data-again` in days; `data-lang`. The document gets an event `mp-form` with what happens.
 */
function embed({ src, dataset, ...tag }: { src: string; dataset: DOMStringMap; after: (frame: HTMLElement) => void }) {
  const { form = '', display = 'inline', lang: language, delay, scroll, exit, again } = dataset;
  const memory = createMemory(form, again);
  const report = (status: 'shown' | 'submitted' | 'closed') =>
    document.dispatchEvent(new CustomEvent('mp-form', { detail: { form_id: form, status } }));

  function open() {
    if (display !== 'inline' && !memory.isDue()) return;
    let isShown = false;
    const frame = createFormFrame(src, { form, display, language }, (message) => {
      if (message.kind === 'ready') {
        overlay?.show(message.title, message.close);
        if (isShown) return;
        isShown = true;
        if (overlay) memory.begin();
        report('shown');
      } else if (message.kind === 'submitted') {
        memory.end('submitted');
        report('submitted');
      } else if (message.kind === 'close') overlay?.close();
    });
    const overlay =
      display === 'inline'
        ? undefined
        : createOverlay(frame, display === 'bar', () => {
            memory.end('closed');
            report('closed');
          });
    if (!overlay) tag.after(frame);
  }

  if (display === 'inline') open();
  else onOccasion({ delay, scroll, exit }, open);
}

const script = document.currentScript;
if (script instanceof HTMLScriptElement) {
  const { src, dataset } = script;
  const start = () => embed({ src, dataset, after: (frame) => script.after(frame) });
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
  else start();
}
