import type { FrameMessage } from './frame-message.ts';

/**
 * Runs in the page of a form that another page embeds. It only tells: the size, a submission, and Escape. `data-parent` is the origin of
 * that page, which the server has checked; a page of any other origin is told nothing.
 */
const script = document.currentScript;
const origin = script?.dataset.parent;

if (script && origin && window.parent !== window) {
  const { status, redirect, close = '' } = script.dataset;
  const send = (message: FrameMessage) => window.parent.postMessage(message, origin);
  const page = document.documentElement;
  send({ mp: 'form', kind: 'ready', title: document.title, close });
  if (status === 'submitted') send({ mp: 'form', kind: 'submitted', redirect });
  addEventListener('keydown', ({ key }) => key === 'Escape' && send({ mp: 'form', kind: 'close' }));
  new ResizeObserver(() => send({ mp: 'form', kind: 'size', height: Math.ceil(page.getBoundingClientRect().height) })).observe(page);
}
