import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WebhookDisabled } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import type { Mail } from '../users/mailer.ts';
import { onWebhookDisabled } from './on-webhook-disabled.ts';

test('the admins of the account, and no other users, get an email when a webhook is disabled', async (t) => {
  const mails: Mail[] = [];
  const mailer = { send: async (mail: Mail) => void mails.push(mail) };
  const gateway = await startTestGateway(t, { mailer });
  const account = await gateway.makeAccount();
  const key = await gateway.makeKey({ account, permission: 'admin' });
  for (const role of ['admin', 'editor', 'viewer']) {
    const invited = await gateway.send('POST', '/v2/settings/users', { email: `${role}@example.com`, role }, { key });
    assert.equal(invited.status, 201);
  }
  mails.length = 0;
  const { react } = onWebhookDisabled({ users: gateway.stores.users, mailer, publicUrl: 'https://mp.example.com' });
  const webhook_id = newId('webhook');
  const data = { webhook_id, url: 'https://hooks.example.com/events', reason: 'failing' as const, at: new Date().toISOString() };
  await gateway.parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) =>
    react(tx, {
      id: newId('event'),
      type: WebhookDisabled.type,
      version: 1,
      time: data.at,
      account_id: account.id,
      correlation_id: 'test',
      causation_id: null,
      producer: 'workflows',
      data,
    }),
  );
  assert.deepEqual(
    mails.map(({ to }) => to),
    ['admin@example.com'],
  );
  assert.match(mails[0]?.text ?? '', new RegExp(`hooks.example.com/events.*https://mp.example.com/settings/webhooks/${webhook_id}`, 's'));
});
