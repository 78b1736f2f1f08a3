import { Parser } from 'htmlparser2';
import mjml2html from 'mjml';
import { checkHtmlPart, type Readable } from './check-message.ts';
import type { CompiledMjml, Problem } from './message.ts';
import { maxNesting } from './nesting.ts';

/** Compiled MJML must fit into a template of HTML. */
const maxHtml = 400_000;
const maxElements = 5_000;
const maxProblems = 20;

/**
 * Compiles MJML to HTML with Liquid in it. Runs in a worker thread; see `createTemplates`. No files are included, and no web
 * fonts are added. Problems are those of the Liquid and of the MJML, at their position in the MJML.
 */
export default async function compileMjmlInThread({ mjml, ...readable }: Readable & { mjml: string }): Promise<CompiledMjml> {
  const found = [...forbidden(mjml), ...checkHtmlPart('/mjml', mjml, readable)].slice(0, maxProblems);
  if (found.length > 0) return { html: null, problems: found };
  try {
    const { html, errors } = await mjml2html(mjml, { validationLevel: 'soft', ignoreIncludes: true, fonts: {}, minify: false });
    const problems = errors
      .slice(0, maxProblems)
      .map(({ line, message, tagName }) => problem(message, line, columnOf(mjml, line, tagName)));
    if (problems.length > 0) return { html: null, problems };
    if (html.length > maxHtml)
      return { html: null, problems: [problem(`The compiled HTML has ${html.length} characters; the maximum is ${maxHtml}.`)] };
    return { html, problems: [] };
  } catch (error) {
    return { html: null, problems: [problem(error instanceof Error ? error.message : 'The MJML cannot be compiled.')] };
  }
}

const problem = (message: string, line: number | null = null, column: number | null = null): Problem => ({
  ...{ path: '/mjml', line, column, code: 'invalid_mjml' as const },
  message: message.slice(0, 500),
});

/** Rejects includes, which would read files, and more elements or deeper ones than compile in time. */
function forbidden(mjml: string): Problem[] {
  const includes = [...mjml.matchAll(/<mj-include\b/gi)].map(({ index }) => {
    const before = mjml.slice(0, index);
    return problem('mj-include is not supported; insert the content itself.', before.split('\n').length, index - before.lastIndexOf('\n'));
  });
  const elements = mjml.match(/<[a-z]/gi)?.length ?? 0;
  if (elements > maxElements) return [problem(`The MJML has ${elements} elements; the maximum is ${maxElements}.`)];
  if (depthOf(mjml) > maxNesting) return [problem(`The elements of the MJML are nested more than ${maxNesting} levels deep.`)];
  return includes.slice(0, maxProblems);
}

/** How deep the elements of MJML are nested. HTML in them is text to the compiler. */
function depthOf(mjml: string): number {
  let [depth, deepest] = [0, 0];
  const isMjml = (name: string) => name.startsWith('mj');
  const parser = new Parser(
    {
      onopentag(name) {
        if (isMjml(name)) depth += 1;
        deepest = Math.max(deepest, depth);
      },
      onclosetag(name) {
        if (isMjml(name)) depth -= 1;
      },
    },
    { recognizeSelfClosing: true },
  );
  parser.end(mjml);
  return deepest;
}

/** MJML reports only lines. */
function columnOf(mjml: string, line: number, tagName: string): number | null {
  const index = mjml.split('\n')[line - 1]?.indexOf(`<${tagName}`) ?? -1;
  return index < 0 ? null : index + 1;
}
