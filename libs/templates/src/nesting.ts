import { Parser, Tokenizer } from 'liquidjs';

/** How deep tags and expressions can be nested, and the elements of MJML. */
export const maxNesting = 50;

/** Limits the recursion of a function. Throws before it is one level too deep. */
export function limitNesting<This, Args extends unknown[], Result>(
  what: string,
  recursive: (this: This, ...args: Args) => Result,
): (this: This, ...args: Args) => Result {
  let depth = 0;
  return function (...args) {
    if (depth > maxNesting) throw new Error(`${what} are nested more than ${maxNesting} levels deep.`);
    depth += 1;
    try {
      return recursive.apply(this, args);
    } finally {
      depth -= 1;
    }
  };
}

/**
 * liquidjs parses what is nested by recursion, and reads the text of an expression once for each level. Its time and memory grow with
 * the square of the levels, and its stack ends at some thousands.
 */
Parser.prototype.parseToken = limitNesting('Liquid tags', Parser.prototype.parseToken);
Tokenizer.prototype.readValue = limitNesting('Liquid expressions', Tokenizer.prototype.readValue);
