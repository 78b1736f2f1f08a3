import { invalid } from '@mp/contracts/errors';

/** These change by themselves between a read and a write, so their values are ignored. */
const moving = new Set(['last_used_at', 'last_signed_in_at']);

/** Lets clients edit and send back what GET returned: a read-only field is accepted only if it is unchanged. */
export function rejectReadOnlyChanges(body: object, view: object, names: readonly string[]) {
  const [given, had] = [new Map(Object.entries(body)), new Map(Object.entries(view))];
  for (const name of names) {
    const value = given.get(name);
    if (value === undefined || moving.has(name) || JSON.stringify(value) === JSON.stringify(had.get(name))) continue;
    const message = `${name} is read-only; omit it or send it unchanged (${JSON.stringify(had.get(name))}).`;
    throw invalid(`/${name}`, 'read_only', message);
  }
}
