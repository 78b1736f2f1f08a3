import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { draftKey, readDraft, removeDraft, removeDrafts, writeDraft } from './stored-draft.ts';

const ada = { accountId: 'account_1', userId: 'user_1' };
const grace = { accountId: 'account_1', userId: 'user_2' };
const draft = { values: { name: 'Typed' }, at: '2026-03-01T09:00:00.000Z', revision: 3 };

beforeEach(() => {
  const stored = new Map<string, string>();
  const methods = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem(key: string, value: string) {
      stored.set(key, value);
      Object.defineProperty(this, key, { enumerable: true, configurable: true, value });
    },
    removeItem(key: string) {
      stored.delete(key);
      Reflect.deleteProperty(this, key);
    },
  };
  const storage = Object.create(methods);
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, value: storage });
});

test('a draft is only offered to the user who typed it, in the same account', () => {
  const at = draftKey(ada, 'campaign 1');
  writeDraft(at, draft);
  assert.deepEqual(readDraft(at, { name: 'Saved' }), draft);
  assert.equal(readDraft(draftKey(grace, 'campaign 1'), { name: 'Saved' }), undefined);
  assert.equal(readDraft(draftKey({ ...ada, accountId: 'account_2' }, 'campaign 1'), { name: 'Saved' }), undefined);
  removeDraft(at);
  assert.equal(readDraft(at, { name: 'Saved' }), undefined);
});

test('a draft with other fields, or without a change, is not offered', () => {
  const at = draftKey(ada, 'campaign 1');
  writeDraft(at, draft);
  assert.equal(readDraft(at, { name: 'Saved', subject: '' }), undefined);
  assert.equal(readDraft(at, { name: 'Typed' }), undefined);
});

test('signing in removes what others typed; signing out removes everything', () => {
  const [own, other] = [draftKey(ada, 'new segment'), draftKey(grace, 'new segment')];
  for (const at of [own, other, 'mp draft new segment']) writeDraft(at, draft);
  localStorage.setItem('mantine-color-scheme-value', 'dark');
  removeDrafts({ except: ada });
  assert.deepEqual(Object.keys(localStorage), [own, 'mantine-color-scheme-value']);
  removeDrafts();
  assert.deepEqual(Object.keys(localStorage), ['mantine-color-scheme-value']);
});
