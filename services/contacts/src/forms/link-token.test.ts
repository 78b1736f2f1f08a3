import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { dayMs } from '@mp/rules/duration';
import { forged, keys, others } from '../../test/token-keys.ts';
import { linkDays, readLink, signLink } from './link-token.ts';

const now = new Date('2026-11-27T10:00:00.000Z');
const after = (ms: number) => new Date(now.getTime() + ms);

test('a link names its request for 7 days, and no longer', () => {
  assert.equal(linkDays, 7);
  const link = { accountId: newId('account'), optInId: newId('optIn') };
  const token = signLink(keys, link, now);
  for (const ms of [0, 7 * dayMs]) assert.deepEqual(readLink(keys, token, after(ms)), link);
  assert.equal(readLink(keys, token, after(7 * dayMs + 1_000)), undefined);
  assert.equal(readLink(others, token, now), undefined);
  for (const wrong of forged(token)) assert.equal(readLink(keys, wrong, now), undefined, wrong);
});
