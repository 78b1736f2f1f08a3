import { Parser } from 'htmlparser2';
import { type Problem, TemplateError } from './message.ts';
import type { RenderLimits } from './render-limits.ts';

/** The URL schemes of links in an email. Others run code or do not open in an email client. */
const linkSchemes = ['http', 'https', 'mailto', 'tel', 'sms', 'webcal'];

/** Attributes of links, and of loaded resources, which may also be `data:` URLs. */
const followed = new Set(['href', 'xlink:href', 'action', 'formaction']);
const loaded = new Set(['src', 'background', 'poster']);
const loadSchemes = [...linkSchemes, 'data', 'cid'];

const scheme = /^([a-z][a-z0-9+.-]*):/i;

/** The scheme as browsers parse it: they skip leading control characters and spaces, and line breaks and tabs anywhere. */
const schemeOf = (address: string) => scheme.exec(address.replace(/^[\p{Cc} ]+|[\t\r\n]+/gu, ''))?.[1]?.toLowerCase();

function unsafeLink(attribute: string, address: string): string | undefined {
  const allowed = followed.has(attribute) ? linkSchemes : loaded.has(attribute) ? loadSchemes : undefined;
  const found = allowed && schemeOf(address);
  if (!found || allowed.includes(found)) return undefined;
  return `Links to ${found.slice(0, 40)}: are not allowed; use one of the schemes ${linkSchemes.join(', ')}.`;
}

/** The links of a template with a literal scheme that is not allowed. */
export function unsafeLinks(path: string, source: string): Problem[] {
  const problems: Problem[] = [];
  const parser = new Parser({
    onopentag(_name, attributes) {
      for (const [attribute, address] of Object.entries(attributes)) {
        // Values from Liquid are checked after rendering.
        const [literal = ''] = address.split(/\{[{%]/, 1);
        const message = unsafeLink(attribute, literal);
        if (message && problems.length < maxProblems)
          problems.push({ path, ...placeAt(source, parser.startIndex), code: 'unsafe_link', message });
      }
    },
  });
  parser.end(source);
  return problems;
}

const maxProblems = 20;

function placeAt(source: string, index: number) {
  const before = source.slice(0, index);
  return { line: before.split('\n').length, column: index - before.lastIndexOf('\n') };
}

/** Throws TemplateError for HTML with unsafe links, and for HTML that would take too long to convert to text. */
export function checkHtml(html: string, { maxDepth, maxElements }: RenderLimits) {
  let [depth, elements] = [0, 0];
  const refuse = (code: Problem['code'], message: string) => {
    throw new TemplateError({ path: '/html', code, message });
  };
  const parser = new Parser({
    onopentag(_name, attributes) {
      depth += 1;
      elements += 1;
      if (depth > maxDepth) refuse('template_error', `The HTML elements are nested more than ${maxDepth} levels deep.`);
      if (elements > maxElements) refuse('template_error', `The HTML has more than ${maxElements} elements.`);
      for (const [attribute, address] of Object.entries(attributes)) {
        const message = unsafeLink(attribute, address);
        if (message) refuse('unsafe_link', message);
      }
    },
    onclosetag() {
      depth -= 1;
    },
  });
  parser.end(html);
}
