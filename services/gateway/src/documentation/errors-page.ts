import { errorCodes } from '@mp/contracts/errors';
import { plainPage } from './plain-page.ts';

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const withCode = (text: string) => escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

const styles = `body { max-width: 44rem; }
section { padding: 0.25rem 1rem; border-radius: 8px; }
section:target { background: color-mix(in srgb, canvastext 8%, canvas); }
h2 { font-size: 1.125rem; }`;

/** The page that the `doc_url` of every error leads to: one section per code. */
export function errorsPage(): string {
  const sections = Object.entries(errorCodes).map(
    ([code, { status, meaning }]) =>
      `<section id="${code}"><h2><a href="#${code}"><code>${code}</code></a> · HTTP ${status}</h2><p>${withCode(meaning)}</p></section>`,
  );
  const body = `<h1>API errors</h1>
<p>Every failed request returns <code>{"success": false, "error": {"code", "message", "details"?, "request_id", "doc_url"}}</code>.
Codes are stable; messages can change. All operations: <a href="/reference">API reference</a>.</p>
${sections.join('\n')}`;
  return plainPage({ title: 'API errors', styles, body });
}
