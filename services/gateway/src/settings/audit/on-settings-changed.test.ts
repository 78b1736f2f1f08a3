import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeadpulseSettingsChanged } from '@mp/contracts/events/leadpulse';
import { newId } from '@mp/ids';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { onSettingsChanged } from './on-settings-changed.ts';

test('a change of the LeadPulse settings is in the audit log of its account, with its author and request', async (t) => {
  const gateway = await startTestGateway(t);
  const [account, other] = [await gateway.makeAccount(), await gateway.makeAccount()];
  const [key, foreign] = [
    await gateway.makeKey({ account, permission: 'admin' }),
    await gateway.makeKey({ account: other, permission: 'admin' }),
  ];
  const actor_id = newId('user');
  const changes = { retention_days: { from: 400, to: 90 } };
  const { react } = onSettingsChanged(LeadpulseSettingsChanged, 'leadpulse_settings.changed', gateway.stores.auditLog);
  await gateway.parts.mongo.transaction({ correlationId: 'req_1', causationId: null }, (tx) =>
    react(tx, {
      id: newId('event'),
      type: LeadpulseSettingsChanged.type,
      version: 1,
      time: new Date().toISOString(),
      account_id: account.id,
      correlation_id: 'req_1',
      causation_id: null,
      producer: 'leadpulse',
      data: { actor_id, changes },
    }),
  );
  const entries = async (own: typeof key) =>
    (await gateway.send('GET', '/v2/settings/audit-log?action=leadpulse_settings.changed', undefined, { key: own })).body.data.items;
  const [entry, ...more] = await entries(key);
  assert.deepEqual(
    [entry.action, entry.actor_id, entry.target_id, entry.details, entry.request_id, more.length],
    ['leadpulse_settings.changed', actor_id, account.id, changes, 'req_1', 0],
  );
  assert.deepEqual(await entries(foreign), []);
});
