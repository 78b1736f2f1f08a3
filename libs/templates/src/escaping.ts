import { CaptureTag, type Context, type FilterImplOptions, filters, type Liquid } from 'liquidjs';

type FilterFunction = Extract<FilterImplOptions, (...args: never[]) => unknown>;
type FilterThis = ThisParameterType<FilterFunction>;

/**
 * The texts that are already HTML during one rendering: results of `escape`, `newline_to_br` and `capture`. Identified by their text:
 * a field with the same text is not escaped either, and needs no escaping.
 */
const knownHtml = new WeakMap<Context, Set<unknown>>();

/** Escapes every output of an HTML template once; text that is already HTML is not escaped again. */
export function escapeOutputs(engine: Liquid) {
  engine.options.outputEscape = escapeOutput;
  for (const name of ['escape', 'escape_once', 'xml_escape']) {
    const plain = filterNamed(name);
    engine.registerFilter(name, function (value, ...args) {
      return remember(this.context, plain.call(this, value, ...args));
    });
  }
  const breakLines = filterNamed('newline_to_br');
  engine.registerFilter('newline_to_br', function (value) {
    return remember(this.context, breakLines.call(this, escapeOutput.call(this, value)));
  });
  for (const name of keepingHtml) {
    const plain = filterNamed(name);
    engine.registerFilter(name, function (value, ...args) {
      const result = plain.call(this, value, ...args);
      return isHtml(this.context, value) ? remember(this.context, result) : result;
    });
  }
  for (const name of ['append', 'prepend', 'default']) {
    const plain = filterNamed(name);
    engine.registerFilter(name, function (value, ...args) {
      const texts = [value, ...args];
      if (!texts.some((text) => isHtml(this.context, text))) return plain.call(this, value, ...args);
      const [first, ...rest] = texts.map((text) => (typeof text === 'string' ? escapeOutput.call(this, text) : text));
      return remember(this.context, plain.call(this, first, ...rest));
    });
  }
  engine.registerTag(
    'capture',
    class extends CaptureTag {
      override *render(context: Context) {
        yield* super.render(context);
        remember(context, context.getSync([this.variable]));
      }
    },
  );
}

/** Filters that shorten, split or change the case of a text. The result of escaped text is still escaped. */
const keepingHtml = [
  ...['strip', 'lstrip', 'rstrip', 'strip_newlines', 'strip_html', 'normalize_whitespace'],
  ...['upcase', 'downcase', 'capitalize', 'truncate', 'truncatewords', 'slice', 'split'],
];

const plainEscape = filterNamed('escape');

function escapeOutput(this: FilterThis, value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => escapeOutput.call(this, item)).join('');
  if (typeof value !== 'string' || !isHtml(this.context, value)) return String(plainEscape.call(this, value));
  this.context.memoryLimit.use(value.length);
  return value;
}

const isHtml = (context: Context, value: unknown) => knownHtml.get(context)?.has(value) === true;

/** A `<` without its `>`: it would form a tag with the text after it. */
const openTag = /<(?![^<>]*>)/;

function remember(context: Context, value: unknown) {
  const known = knownHtml.get(context) ?? new Set();
  knownHtml.set(context, known);
  for (const text of Array.isArray(value) ? value : [value]) if (typeof text === 'string' && !openTag.test(text)) known.add(text);
  return value;
}

function filterNamed(name: string): FilterFunction {
  const filter = filters[name];
  if (typeof filter !== 'function') throw new Error(`liquidjs has no filter ${name}.`);
  return filter;
}
