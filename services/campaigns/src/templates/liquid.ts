import { Context, Liquid, type TagToken, type Template, toValueSync } from 'liquidjs';
import './token-positions.ts';

/** A rendered part larger than this is refused: no mail client would show it. */
const maxOutput = 1_048_576;
const renderMs = 250;

/**
 * Liquid without a way out: no files, no partials, no unescaped output, properties of plain values only, and limits on
 * the time, the memory and the output of each rendering.
 */
function createEngine(escaped: boolean): Liquid {
  const engine = new Liquid({
    templates: {},
    ownPropertyOnly: true,
    strictFilters: true,
    parseLimit: 450_000,
    renderLimit: renderMs,
    memoryLimit: 4_000_000,
    ...(escaped ? { outputEscape: 'escape' as const } : {}),
  });
  for (const tag of ['include', 'render', 'layout', 'block']) delete engine.tags[tag];
  engine.unregisterFilter('raw');
  engine.registerTag('#', { parse: checkInlineComment, render: () => undefined });
  return engine;
}

/** As the tag it stands for, whose own search takes a time that grows with the square of the blank lines. */
function checkInlineComment({ args }: TagToken) {
  const [, ...lines] = args.split('\n').map((line) => line.trim());
  if (lines.every((line) => line === '' || line.startsWith('#'))) return;
  throw new TemplateError("every line of an inline comment must start with a '#' character");
}

const engines = { html: createEngine(true), text: createEngine(false) };

export type TemplateKind = keyof typeof engines;

/** A template that can be rendered many times; `fields` are the paths it reads, as lists of names. */
export type CompiledTemplate = { render: (scope: object) => string; fields: readonly (readonly unknown[])[] };

/** A template that cannot be parsed or rendered, and why. */
export class TemplateError extends Error {}

/** Throws TemplateError with the place and the reason when the source is not valid Liquid. */
export function compileTemplate(source: string, kind: TemplateKind): CompiledTemplate {
  const engine = engines[kind];
  const templates = guarded(() => engine.parse(source));
  return {
    fields: guarded(() => engine.globalVariableSegmentsSync(templates, { partials: false })),
    render: (scope) => guarded(() => renderBounded(engine, templates, scope)),
  };
}

function renderBounded(engine: Liquid, templates: Template[], scope: object): string {
  const context = new Context(scope, engine.options, { sync: true }, { liquid: engine });
  const output = boundedOutput();
  toValueSync(engine.renderer.renderTemplates(templates, context, output));
  return output.buffer;
}

/** Where a rendering goes; it refuses to grow without end. */
function boundedOutput() {
  const output = {
    buffer: '',
    write(value: unknown) {
      output.buffer += textOf(value);
      if (output.buffer.length > maxOutput) throw new TemplateError(`It renders to more than ${maxOutput} characters.`);
    },
  };
  return output;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(textOf).join('');
  return typeof value === 'object' ? '' : String(value);
}

function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TemplateError) throw error;
    throw new TemplateError(error instanceof Error ? error.message.slice(0, 500) : 'The template cannot be rendered.', { cause: error });
  }
}
