import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differencesOf } from '../form/differences.ts';
import { bodyOfDraft, comparableWebhook, emptyDraft, validateDraft } from './webhook-draft.ts';

test('a draft becomes the body of the request, without unedited headers', () => {
  const draft = { ...emptyDraft, url: ' https://example.com ', events: ['*'], headers: 'Authorization: Bearer a:b\n\nX-Key:1\n' };
  assert.deepEqual(bodyOfDraft(draft), {
    ...{ url: 'https://example.com', events: ['*'], description: null, filter: null, batch: null },
    headers: { Authorization: 'Bearer a:b', 'X-Key': '1' },
  });
  const cause = { match: 'all' as const, rows: [{ field: 'cause', op: 'eq', value: 'api' }] };
  const edited = { ...draft, headers: undefined, filter: cause, batch: { max: 5, wait_ms: 100 } };
  const { filter, batch, ...rest } = bodyOfDraft(edited);
  assert.deepEqual([filter, batch, 'headers' in rest], [{ field: 'cause', op: 'eq', value: 'api' }, { max: 5, wait_ms: 100 }, false]);
});

test('names a header without a colon', () => {
  assert.ok(validateDraft.headers('Authorization Bearer'));
  assert.equal(validateDraft.headers('A: '), null);
});

test('two versions are compared by the names of the fields', () => {
  const yours = { ...emptyDraft, headers: 'A: b', batch: { max: 5, wait_ms: 100 } };
  assert.deepEqual(
    differencesOf(comparableWebhook({ ...emptyDraft, headers: undefined }), comparableWebhook(yours)).map((row) => Object.values(row)),
    [
      ['Headers', 'Not replaced', 'A: b'],
      ['Events per request', '–', '5'],
      ['Wait for more events (ms)', '–', '100'],
    ],
  );
});
