import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { dayMs } from '@mp/rules/duration';
import { forged, keys, others } from '../../test/token-keys.ts';
import { readLink, signLink } from './link-token.ts';
import { readStamp, signStamp } from './page-stamp.ts';

const now = new Date('2026-11-27T10:00:00.000Z');
const after = (ms: number) => new Date(now.getTime() + ms);

test('a stamp proves for a day when a page of its form was rendered, and no other', () => {
  const [formId, otherId] = [newId('form'), newId('form')];
  const token = signStamp(keys, formId, now);
  assert.deepEqual(readStamp(keys, formId, token, after(dayMs))?.at, now);
  assert.equal(readStamp(keys, formId, token, after(dayMs + 1_000)), undefined);
  assert.equal(readStamp(keys, otherId, token, now), undefined);
  assert.equal(readStamp(others, formId, token, now), undefined);
  for (const wrong of forged(token)) assert.equal(readStamp(keys, formId, wrong, now), undefined, wrong);
  const nonces = new Set([1, 2, 3].map(() => readStamp(keys, formId, signStamp(keys, formId, now), now)?.nonce));
  assert.equal(nonces.size, 3, 'pages that are rendered at the same time are told apart');
});

test('a stamp is not accepted as a link token, nor a link token as a stamp', () => {
  const formId = newId('form');
  assert.equal(readLink(keys, signStamp(keys, formId, now), now), undefined);
  assert.equal(readStamp(keys, formId, signLink(keys, { accountId: newId('account'), optInId: newId('optIn') }, now), now), undefined);
});
