import { shownSource } from './image-source.ts';

/** An email that can be displayed without scripts, requests or style elements. */
export type MailDocument = { html: string; sheets: string[]; leftOut: number };

/** The address of a link as it is shown, and a note beside the link. */
export type Annotate = (href: string) => { href: string; note?: string };

const removed = 'script, iframe, frame, object, embed, link, base, meta, noscript, template, style';
const loading = ['src', 'srcset', 'background', 'poster', 'data', 'xlink:href'];

/**
 * Removes everything from an email that would run, load or navigate. Styles are kept separately: the page's
 * Content-Security-Policy blocks inline styles, but allows scripts to set them (`data-style`, constructed style sheets).
 */
export function mailDocument(html: string, annotate?: Annotate): MailDocument {
  const mail = new DOMParser().parseFromString(renamed(html), 'text/html');
  const sheets = [...mail.querySelectorAll('[data-sheet]')].map(({ textContent }) => withoutAddresses(textContent ?? ''));
  for (const element of mail.querySelectorAll(removed)) element.remove();
  if (annotate) addNotes(mail.querySelectorAll('a[href]'), annotate);
  let leftOut = 0;
  for (const element of mail.querySelectorAll('*')) {
    for (const { name, value } of [...element.attributes]) {
      if (name.startsWith('on')) element.removeAttribute(name);
      if (name === 'style') element.removeAttribute(name);
      if (name === 'data-style') element.setAttribute(name, withoutAddresses(value));
      if (name === 'href' || name === 'action' || name === 'formaction') {
        element.removeAttribute(name);
        if (name === 'href') element.setAttribute('title', value);
      }
      if (loading.includes(name) && !value.trim().startsWith('data:image/')) {
        const uploaded = element.tagName === 'IMG' && name === 'src' ? shownSource(value) : undefined;
        if (uploaded) element.setAttribute(name, uploaded);
        else {
          element.removeAttribute(name);
          leftOut += 1;
        }
      }
    }
  }
  return { html: mail.documentElement.outerHTML, sheets, leftOut };
}

function addNotes(links: Iterable<Element>, annotate: Annotate) {
  for (const link of links) {
    const { href, note: words } = annotate(link.getAttribute('href') ?? '');
    link.setAttribute('href', href);
    if (words === undefined) continue;
    const note = link.ownerDocument.createElement('mark');
    note.textContent = words;
    note.setAttribute('data-note', '');
    link.after(note);
  }
}

/**
 * Browsers apply the policy while they parse an email, and log every violation. This only keeps the console quiet: what it
 * misses is removed from the parsed email, and the frame runs no scripts.
 */
const renamed = (html: string) =>
  html
    .replace(/<(\/?)style\b/gi, (_, isEnd: string) => (isEnd ? '</script' : '<script data-sheet type="text/css"'))
    .replace(/<[a-z][^>]*>/gi, (tag) =>
      tag.replace(/([\s"'/])style\s*=/gi, '$1data-style=').replace(/([\s"'/])on(\w+)\s*=/gi, '$1data-on-$2='),
    );

/** Removes URLs from styles, so that viewing an email here sends no requests to its sender. */
const withoutAddresses = (css: string) => css.replace(/url\s*\((?!\s*['"]?data:image\/)[^)]*\)/gi, 'none').replace(/@import[^;]*;?/gi, '');

const ours =
  'body { margin: 16px; font-family: sans-serif; } a { color: #3b5bdb; text-decoration: underline; } img { max-width: 100%; } mark[data-note] { display: inline-block; margin: 0 4px; padding: 1px 8px; border-radius: 10px; background: #1864ab; color: #fff; font: bold 12px/1.5 sans-serif; white-space: nowrap; }';

/** Applies the email's styles to the document in the frame. */
export function dress(frame: HTMLIFrameElement, { sheets }: MailDocument, isDark = false) {
  const shown = frame.contentDocument;
  const view = shown?.defaultView;
  if (!shown || !view) return;
  for (const element of shown.querySelectorAll('[data-style]')) {
    if (element instanceof view.HTMLElement) element.style.cssText = element.getAttribute('data-style') ?? '';
  }
  shown.adoptedStyleSheets = [ours, ...sheets.map((css) => inScheme(css, isDark))].map((css) => {
    const sheet = new view.CSSStyleSheet();
    sheet.replaceSync(css);
    return sheet;
  });
  fit(frame, shown);
}

/** Resolves `prefers-color-scheme` in the styles to dark or light, whatever the color scheme of the page. */
const inScheme = (css: string, isDark: boolean) =>
  css.replace(/\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi, (_, scheme: string) =>
    (scheme.toLowerCase() === 'dark') === isDark ? '(min-width: 0)' : '(max-width: 0)',
  );

const minHeight = 200;
const maxHeight = 640;

/** Makes the frame as high as the email, within limits (pixels). */
function fit(frame: HTMLIFrameElement, { documentElement }: Document) {
  frame.style.height = '0';
  frame.style.height = `${Math.min(maxHeight, Math.max(minHeight, documentElement.scrollHeight + 2))}px`;
}
