/**
 * What programs send when they do not know who it is. Taken at its word, one such value would make one visitor of
 * everybody, and one contact of all of them; so events that name one are rejected, with a message that says why.
 */
const blocked = new Set([
  '0',
  '-1',
  'null',
  'undefined',
  'none',
  'nil',
  'nan',
  'n/a',
  'na',
  'true',
  'false',
  'unknown',
  'guest',
  'anonymous',
  'anon',
  'user',
  'visitor',
  '[object object]',
  'not set',
  '(not set)',
  '00000000-0000-0000-0000-000000000000',
]);

export const isBlockedIdentifier = (value: string) => blocked.has(value.trim().toLowerCase());
