import { didYouMean } from '@mp/contracts/nearest';
import { Context, Liquid, LiquidError, type TagToken, type Template, toValueSync } from 'liquidjs';
import { escapeOutputs } from './escaping.ts';
import { liquidFor } from './foreign-syntax.ts';
import { TemplateError } from './message.ts';
import './nesting.ts';
import './token-positions.ts';

/**
 * A sandboxed Liquid: no files, partials or unescaped output, access to own properties only, and limits on the time, memory and output
 * of each rendering.
 */
function createEngine(escaped: boolean): Liquid {
  const engine = new Liquid({
    templates: {},
    ownPropertyOnly: true,
    strictFilters: true,
    parseLimit: 450_000,
    memoryLimit: 4_000_000,
  });
  if (escaped) escapeOutputs(engine);
  for (const tag of ['include', 'render', 'layout', 'block']) delete engine.tags[tag];
  engine.unregisterFilter('raw');
  engine.registerTag('#', { parse: checkInlineComment, render: () => undefined });
  return engine;
}

/** Replaces the built-in check, whose time grows with the square of the number of blank lines. */
function checkInlineComment({ args }: TagToken) {
  const [, ...lines] = args.split('\n').map((line) => line.trim());
  if (lines.every((line) => line === '' || line.startsWith('#'))) return;
  throw new Error("every line of an inline comment must start with '#'");
}

const engines = { html: createEngine(true), text: createEngine(false) };

export type TemplateKind = keyof typeof engines;

/** A field that a template reads, as a list of names, with its position. */
export type FieldRead = { segments: readonly unknown[]; line: number; column: number };

/** The limits of a rendering: characters of output, and whether its time is used up. */
type Budget = { maxOutput: number; isSpent: () => boolean };

/** A template that can be rendered many times. */
export type CompiledTemplate = { render: (scope: object, budget: Budget) => string; reads: readonly FieldRead[] };

/** The number of tags and outputs that liquidjs parses in milliseconds; its time grows with the square. */
const maxMarks = 5_000;

/** Throws TemplateError with the position and reason when the source is not valid Liquid. `path` is that of the part. */
export function compileTemplate(path: string, source: string, kind: TemplateKind): CompiledTemplate {
  const engine = engines[kind];
  const marks = source.match(/\{[{%]/g)?.length ?? 0;
  if (marks > maxMarks)
    throw new TemplateError({
      path,
      code: 'invalid_template',
      message: `The template has ${marks} Liquid tags and outputs; the maximum is ${maxMarks}.`,
    });
  const templates = guarded(path, 'invalid_template', () => engine.parse(source));
  const reads = guarded(path, 'invalid_template', () =>
    Object.values(engine.analyzeSync(templates, { partials: false }).globals)
      .flat()
      .map((variable) => ({ segments: variable.toArray(), line: variable.location.row, column: variable.location.col })),
  );
  return {
    reads,
    render: (scope, budget) => guarded(path, 'template_error', () => renderBounded(engine, templates, scope, budget)),
  };
}

function renderBounded(engine: Liquid, templates: Template[], scope: object, { maxOutput, isSpent }: Budget): string {
  const context = new Context(scope, engine.options, { sync: true }, { liquid: engine });
  // Limited by CPU time instead of elapsed time, so that a busy machine makes no template fail.
  context.renderLimit.check = () => {
    if (isSpent()) throw new Error('The template takes too long to render.');
  };
  const output = {
    buffer: '',
    write(value: unknown) {
      output.buffer += textOf(value);
      if (output.buffer.length > maxOutput) throw new Error(`The rendered text has more than ${maxOutput} characters.`);
    },
  };
  toValueSync(engine.renderer.renderTemplates(templates, context, output));
  return output.buffer;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(textOf).join('');
  return typeof value === 'object' ? '' : String(value);
}

const blocks = ['if', 'unless', 'for', 'case', 'capture', 'comment', 'raw', 'tablerow'];

const maxMessage = 500;

function guarded<T>(path: string, code: 'invalid_template' | 'template_error', work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TemplateError) throw error;
    const message = messageOf(error).slice(0, maxMessage);
    const [line, column] = LiquidError.is(error) ? error.token.getPosition() : [];
    throw new TemplateError({ path, code, message, line, column }, { cause: error });
  }
}

/** A stack that overflows all the same is the fault of the template, not of the platform. */
function messageOf(error: unknown): string {
  const { originalError: cause = error } = LiquidError.is(error) ? error : {};
  if (cause instanceof RangeError) return 'The template is nested too deeply.';
  const message = error instanceof Error ? error.message : 'The template cannot be rendered.';
  const hint = hintFor(error, message);
  return hint === '' || /[.?!]$/.test(message) ? `${message}${hint}` : `${message}.${hint}`;
}

/** What may be meant by an unknown tag or filter, or by the syntax of another language. */
function hintFor(error: unknown, message: string): string {
  const [, tag] = /^tag "([^"]{1,60})" not found/.exec(message) ?? [];
  if (tag !== undefined) return didYouMean(tag, [...Object.keys(engines.html.tags), ...blocks.map((block) => `end${block}`)]);
  const [, filter] = /^undefined filter: (\S{1,60}?)(?:,|$)/.exec(message) ?? [];
  if (filter !== undefined) return didYouMean(filter, Object.keys(engines.html.filters));
  const { input, begin } = LiquidError.is(error) ? error.token : { input: '', begin: 0 };
  const braces = input.lastIndexOf('{{', begin + 1);
  const opening = braces > 0 && input[braces - 1] === '{' ? braces - 1 : braces;
  const hint = opening === -1 ? undefined : liquidFor(input.slice(opening, opening + 200));
  return hint === undefined ? '' : ` ${hint}`;
}
