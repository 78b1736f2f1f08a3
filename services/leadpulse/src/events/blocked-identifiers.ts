/**
 * Placeholders that programs send for an unknown visitor. Each would combine all of those visitors into one, and into one
 * contact, so events with such an identifier are rejected.
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
