import { storedVisitorId } from '../page/visitor-id.ts';
import { type FrameMessage, isFrameMessage } from './frame-message.ts';

const maxUrl = 2_000;

/** Where the visit to this page came from: `utm_source`, else the host of another website. */
function sourceOf(): string {
  const named = new URLSearchParams(location.search).get('utm_source');
  if (named) return named;
  const host = document.referrer && new URL(document.referrer).host;
  return host === location.host ? '' : host;
}

type Listener = (message: FrameMessage) => void;

/** The page of a form in a frame, which stays hidden until that page says that it may be shown here. */
export function createFormFrame(
  platform: string,
  { form, display, language }: { form: string; display: string; language: string | undefined },
  onMessage: Listener,
) {
  const url = new URL(`/f/${form}`, platform);
  const query = {
    embed: display === 'bar' ? 'bar' : '1',
    page: (location.origin + location.pathname).slice(0, maxUrl),
    source: sourceOf(),
    visitor: storedVisitorId() ?? '',
    lang: language ?? '',
  };
  for (const [name, value] of Object.entries(query)) if (value) url.searchParams.set(name, value);

  const frame = document.createElement('iframe');
  frame.src = url.href;
  frame.style.cssText = 'display:block;width:100%;height:0;border:0;visibility:hidden';
  addEventListener('message', ({ origin, source, data }) => {
    if (origin !== url.origin || source !== frame.contentWindow || !isFrameMessage(data)) return;
    if (data.kind === 'ready') {
      frame.title = data.title;
      frame.style.visibility = 'visible';
    }
    if (data.kind === 'size') frame.style.height = `${Number(data.height)}px`;
    if (data.kind === 'submitted' && data.redirect?.startsWith('https://')) location.assign(data.redirect);
    onMessage(data);
  });
  return frame;
}
