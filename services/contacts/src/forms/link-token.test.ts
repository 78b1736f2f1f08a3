import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseKeyring } from '@mp/contracts/keyring';
import { newId } from '@mp/ids';
import { linkDays, readLink, signLink } from './link-token.ts';

const keyring = (id: string, byte: number) => parseKeyring(`${id}:${Buffer.alloc(32, byte).toString('base64url')}`);
const keys = keyring('a', 1);
const others = keyring('a', 2);
const now = new Date('2026-11-27T10:00:00.000Z');
const dayMs = 24 * 60 * 60_000;
const after = (ms: number) => new Date(now.getTime() + ms);
/** The token with another character at each of its places. */
const forged = (token: string) =>
  [...token].map((character, index) => token.slice(0, index) + (character === '0' ? '1' : '0') + token.slice(index + 1));

test('a link names its request for 7 days, and no longer', () => {
  assert.equal(linkDays, 7);
  const link = { accountId: newId('account'), optInId: newId('optIn') };
  const token = signLink(keys, link, now);
  for (const ms of [0, 7 * dayMs]) assert.deepEqual(readLink(keys, token, after(ms)), link);
  assert.equal(readLink(keys, token, after(7 * dayMs + 1_000)), undefined);
  assert.equal(readLink(others, token, now), undefined);
  for (const wrong of forged(token)) assert.equal(readLink(keys, wrong, now), undefined, wrong);
});
