import type { Form } from './form.ts';

type Colors = Pick<Form['look'], 'primary' | 'background' | 'surface' | 'text'>;

const plain: Colors = { primary: '#2563eb', background: '#f4f5f7', surface: '#ffffff', text: '#1f2933' };

const layout =
  '*{box-sizing:border-box}body{font:16px/1.5 system-ui,sans-serif;margin:0;padding:6vh 1rem;background:var(--background);color:var(--text)}' +
  'main{max-width:30rem;margin:0 auto;padding:2rem;background:var(--surface);border:1px solid color-mix(in srgb,var(--text) 12%,transparent);border-radius:12px}' +
  'h1{margin:0 0 .5rem;font-size:1.5rem;line-height:1.25}p{margin:.5rem 0}' +
  'label,legend{display:block;margin-top:1rem;font-weight:500}label:has([type=checkbox]){display:flex;gap:.6rem;font-weight:400}' +
  'input:not([type=checkbox]),select,textarea{font:inherit;width:100%;margin-top:.25rem;padding:.6rem .75rem;color:inherit;background:var(--surface);border:1px solid color-mix(in srgb,var(--text) 45%,transparent);border-radius:8px}' +
  'input[type=checkbox]{flex:none;width:1.1rem;height:1.1rem;margin:.2rem 0 0;accent-color:var(--primary)}' +
  ':focus-visible{outline:3px solid var(--primary);outline-offset:2px}[aria-invalid]{border-color:#c92a2a!important}' +
  'button{font:inherit;font-weight:600;width:100%;margin-top:1.5rem;padding:.7rem 1.2rem;border:0;border-radius:8px;cursor:pointer;background:var(--primary);color:var(--on-primary)}' +
  'button[aria-disabled]{cursor:progress;opacity:.7}' +
  '[role=alert]{padding:.6rem 1rem;border:1px solid #c92a2a;border-radius:8px}img{display:block;max-width:100%;margin-bottom:1rem}' +
  '.hp{position:absolute;left:-9999px;width:1px;overflow:hidden}@media(max-width:30rem){body{padding:0}main{min-height:100vh;border:0;border-radius:0;padding:1.5rem 1rem}}';

/** In a page of another website, which has a background and a frame of its own. */
export const framedStyle =
  'body{padding:0;background:var(--surface)}main{max-width:none;min-height:0;border:0;border-radius:0;padding:1.5rem}@media(max-width:30rem){main{min-height:0}}' +
  '.bar main{padding:.75rem 3.5rem .75rem 1rem}.bar h1{font-size:1.1rem}.bar form{display:flex;flex-wrap:wrap;gap:.25rem 1rem;align-items:end}' +
  '.bar form>div{flex:1 1 12rem}.bar label{margin-top:.25rem}.bar button{width:auto;margin:0}';

/** The style of a form's pages in its colors. Dark for visitors who prefer that, with the form's primary color. */
export function styleOf({ primary, background, surface, text }: Colors = plain): string {
  const variables = `--primary:${primary};--on-primary:${textOn(primary)};--background:${background};--surface:${surface};--text:${text}`;
  const dark = '@media(prefers-color-scheme:dark){:root{--background:#0f1318;--surface:#181d24;--text:#e6e9ee}}';
  return `:root{color-scheme:light dark;${variables}}${dark}${layout}`;
}

/** Black or white, whichever is easier to read on the color (relative luminance, WCAG 2.2). */
function textOn(color: string): '#000000' | '#ffffff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#ffffff';
}
