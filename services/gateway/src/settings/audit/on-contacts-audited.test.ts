import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactsAudited } from '@mp/contracts/events/contacts';
import { newId } from '@mp/ids';
import { anEvent } from '@mp/test-kit/an-event';
import { applyEvents } from '@mp/test-kit/apply-events';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { onContactsAudited } from './on-contacts-audited.ts';

test('an export or erasure of contacts is in the audit log of its account, with who did it, and the chain holds', async (t) => {
  const gateway = await startTestGateway(t);
  const [account, other] = [await gateway.makeAccount(), await gateway.makeAccount()];
  const read = async (of: typeof account, path = '') =>
    (await gateway.send('GET', `/v2/settings/audit-log${path}`, undefined, { key: await gateway.makeKey({ account: of }) })).data;
  const actor_id = newId('client');
  const entries = ContactsAudited.data.shape.action.options.map((action, index) => ({
    ...{ actor_id, action, target_id: newId('contact'), details: { number: index } },
  }));
  const events = entries.map((entry) => anEvent(ContactsAudited, account.id, entry));
  await applyEvents(gateway.parts.mongo, [onContactsAudited(gateway.stores.auditLog)], events);
  const { items } = await read(account);
  const logged = items.toReversed().map(({ id: _, created_at: __, sequence: ___, hash: ____, ...entry }: Record<string, unknown>) => entry);
  assert.deepEqual(
    logged,
    entries.map((entry, index) => ({ ...entry, request_id: events[index]?.correlation_id })),
  );
  assert.deepEqual([(await read(account, '/verification')).entries, (await read(other)).items], [entries.length, []]);
});
