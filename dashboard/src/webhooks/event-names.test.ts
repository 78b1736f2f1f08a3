import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receivedLabel } from './event-names.ts';

test('what a webhook receives is described in words', () => {
  const summary = (type: string) => (type === 'contact.created' ? 'A contact was created' : undefined);
  assert.deepEqual(
    ['*', 'contact.*', 'message.*', 'contact.created', 'newer.type'].map((name) => receivedLabel(name, summary)),
    ['All events except the audit log', 'Everything about contacts', 'Everything about emails', 'A contact was created', 'newer.type'],
  );
});
