import { unlikeness } from '@mp/contracts/nearest';

/** Longer paths are not compared, so that a 404 costs little. */
const maxSegments = 8;

/** Segments in front of a path of another version, or of another API. */
const prefix = /^(?:api|rest|v\d+)$/i;

/** The segments of a route such as `/v2/contacts/{id}`. */
type Pattern = readonly string[];

export const patternOf = (path: string): Pattern => path.split('/').slice(1);

/**
 * The path that is most like one that does not exist, from the patterns of all routes. Parameters keep what the path has in their
 * place. If the end of the path is like nothing, the rest decides. Undefined if no segment is like any.
 */
export function nearestPath(path: string, patterns: readonly Pattern[]): string | undefined {
  const segments = path.split('/').filter((segment) => segment !== '');
  while (prefix.test(segments[0] ?? '')) segments.shift();
  if (segments.length > maxSegments) return undefined;
  for (let length = segments.length; length > 0; length -= 1) {
    const wanted = ['v2', ...segments.slice(0, length)];
    const like = patterns
      .map((pattern) => fitted(pattern, wanted))
      .filter((one) => one !== undefined)
      .toSorted((a, b) => a.cost - b.cost)[0];
    if (like) return like.path;
  }
  return undefined;
}

/** The pattern with the segments of a path in place of its parameters, and how unlike the path it is. */
function fitted(pattern: Pattern, wanted: readonly string[]): { path: string; cost: number } | undefined {
  if (pattern.length !== wanted.length) return undefined;
  let [path, cost] = ['', 0];
  for (const [index, segment] of pattern.entries()) {
    const given = wanted[index] ?? '';
    const isParameter = segment.startsWith('{');
    // A literal that is spelled correctly is nearer than a parameter, and a parameter nearer than a misspelled literal.
    const unlike = isParameter ? 0.1 : unlikeness(given, segment);
    if (unlike === undefined) return undefined;
    path += `/${isParameter ? given : segment}`;
    cost += unlike;
  }
  return { path, cost };
}
