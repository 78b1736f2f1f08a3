import assert from 'node:assert/strict';
import type { Json } from '../contract.ts';

const isOwn = (value: unknown) =>
  typeof value === 'string' && /^(?:[a-z]+_[\da-z]{26}$|mp_live_|mp_pub_|whsec_)|^\d{4}-\d\d-\d\dT|^https?:/.test(value);

/** Throws if the response has not what the page shows of it: the same values, except IDs, keys, times and URLs. */
export function assertShown(shown: Json, actual: Json, at: string) {
  if (isOwn(shown)) return assert.ok(isOwn(actual), `${at} is ${JSON.stringify(actual)}`);
  if (typeof shown !== 'object' || shown === null) return assert.deepEqual(actual, shown, at);
  assert.ok(typeof actual === 'object' && actual !== null && Array.isArray(actual) === Array.isArray(shown), `${at} is ${actual}`);
  if (Array.isArray(shown)) assert.equal(actual.length, shown.length, `${at}: ${JSON.stringify(actual)}`);
  for (const [name, value] of Object.entries(shown)) {
    assert.ok(name in actual, `${at} has no ${name}: ${JSON.stringify(actual)}`);
    assertShown(value, actual[name], `${at}.${name}`);
  }
}

/** Text as it is shown, without what is different each time. */
export const comparable = (text: string) =>
  text
    .replaceAll(/\b([a-z]+)_[\da-z]{26}\b/g, '$1_…')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/(mp_live|mp_pub|whsec)_[\w+/=…]+/g, '$1_…')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();

/** The JSON documents that a block printed, one after another; responses end without a line break. */
export function printedJson(text: string): Json[] {
  return text
    .replaceAll(/\}\s*(?=\{"success":)/g, '}\0')
    .split('\0')
    .filter((part) => part.trim() !== '')
    .map((part) => JSON.parse(part));
}
