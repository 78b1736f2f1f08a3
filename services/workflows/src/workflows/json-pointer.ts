/** A JSON pointer (RFC 6901). */
export const jsonPointer = /^(\/([^~/]|~[01])*){1,10}$/;

/** The value that a JSON pointer names; undefined when there is none. */
export function pointed(value: unknown, pointer: string): unknown {
  let current = value;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined;
    current = new Map<string, unknown>(Object.entries(current)).get(name);
  }
  return current;
}
