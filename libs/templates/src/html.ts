import { Parser } from 'htmlparser2';
import { type Problem, type RenderLimits, TemplateError } from './message.ts';

/** Where a link in a mail may lead. Anything else is code, or opens nothing in a mail client. */
const linkSchemes = ['http', 'https', 'mailto', 'tel', 'sms', 'webcal'];

/** Attributes that are followed, and those that are only loaded: an image may be a `data:` URL. */
const followed = new Set(['href', 'xlink:href', 'action', 'formaction']);
const loaded = new Set(['src', 'background', 'poster']);
const loadSchemes = [...linkSchemes, 'data', 'cid'];

const scheme = /^([a-z][a-z0-9+.-]*):/i;

/** As browsers read it: they skip control characters and spaces before it, and line breaks and tabs within it. */
const schemeOf = (address: string) => scheme.exec(address.replace(/^[\p{Cc} ]+|[\t\r\n]+/gu, ''))?.[1]?.toLowerCase();

function unsafeLink(attribute: string, address: string): string | undefined {
  const allowed = followed.has(attribute) ? linkSchemes : loaded.has(attribute) ? loadSchemes : undefined;
  const found = allowed && schemeOf(address);
  if (!found || allowed.includes(found)) return undefined;
  return `A link may not lead to ${found.slice(0, 40)}:…; the schemes are ${linkSchemes.join(', ')}.`;
}

/** Links of a template whose scheme stands in it and is not one that a mail may have. */
export function unsafeLinks(path: string, source: string): Problem[] {
  const problems: Problem[] = [];
  const parser = new Parser({
    onopentag(_name, attributes) {
      for (const [attribute, address] of Object.entries(attributes)) {
        // What Liquid puts there is looked at when it is rendered.
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

/** Throws TemplateError for HTML with unsafe links, and for HTML that takes too long to convert. */
export function checkHtml(html: string, { maxDepth, maxElements }: RenderLimits) {
  let [depth, elements] = [0, 0];
  const refuse = (code: Problem['code'], message: string) => {
    throw new TemplateError({ path: '/html', code, message });
  };
  const parser = new Parser({
    onopentag(_name, attributes) {
      depth += 1;
      elements += 1;
      if (depth > maxDepth) refuse('template_error', `Its elements are nested more than ${maxDepth} deep.`);
      if (elements > maxElements) refuse('template_error', `It has more than ${maxElements} elements.`);
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
