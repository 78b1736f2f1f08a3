import { createHash } from 'node:crypto';

/** Keys of the fixtures, which protect nothing: anybody can derive them. A platform needs them to read what it sealed and signed. */
const testOnlyKey = (name: string) =>
  `testonly:${createHash('sha256').update(`not a secret: ${name} of the upgrade fixtures`).digest('base64url')}`;

export const testOnlyKeys = Object.fromEntries(
  ['CONTEXT_KEYS', 'CURSOR_KEYS', 'LINK_KEYS', 'WEBHOOK_KEYS'].map((name) => [name, testOnlyKey(name)]),
);
