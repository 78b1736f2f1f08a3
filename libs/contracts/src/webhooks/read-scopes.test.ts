import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webhookEventTypes } from './catalogue.ts';
import { eventRefusal } from './read-scopes.ts';

test('every type of event has a scope that reads it, and nobody reads it without', () => {
  for (const type of webhookEventTypes) {
    assert.equal(eventRefusal({ permission: 'admin', scopes: null }, type), undefined, type);
    assert.match(eventRefusal({ permission: 'admin', scopes: ['webhooks:read'] }, type) ?? '', /lacks the scope [a-z]+:read/, type);
  }
  assert.match(eventRefusal({ permission: 'read_write', scopes: null }, 'api_key.created') ?? '', /permission admin/);
  assert.equal(eventRefusal({ permission: 'read_only', scopes: ['campaigns:read'] }, 'message.*'), undefined);
});
