import { isDeepStrictEqual } from 'node:util';
import { invalid } from '@mp/contracts/errors';

/** Lets clients edit and send back what GET returned: throws VALIDATION_ERROR if one of these fields differs from `before`. */
export function rejectReadOnlyChanges(body: object, before: object, names: readonly string[]) {
  const [given, had] = [new Map<string, unknown>(Object.entries(body)), new Map<string, unknown>(Object.entries(before))];
  for (const name of names) {
    const value = given.get(name);
    if (value === undefined || isDeepStrictEqual(value, had.get(name))) continue;
    throw invalid(`/${name}`, 'read_only', `${name} is read-only; omit it or send it unchanged (${JSON.stringify(had.get(name))}).`);
  }
}
