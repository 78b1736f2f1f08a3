import { invalid } from '@mp/contracts/errors';

/** These move by themselves between reading and writing: what comes along of them says nothing. */
const moving = new Set(['last_used_at', 'last_signed_in_at']);

/** What GET returned can be edited and put back: a read-only member may come along as long as it is unchanged. */
export function refuseChanged(body: object, view: object, names: readonly string[]) {
  const [given, had] = [new Map(Object.entries(body)), new Map(Object.entries(view))];
  for (const name of names) {
    const value = given.get(name);
    if (value === undefined || moving.has(name) || JSON.stringify(value) === JSON.stringify(had.get(name))) continue;
    const message = `${name} cannot be set; leave it out or send it unchanged (${JSON.stringify(had.get(name))}).`;
    throw invalid(`/${name}`, 'read_only', message);
  }
}
