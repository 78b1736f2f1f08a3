import assert from 'node:assert/strict';
import type { Json } from '../../contract.ts';
import { emailOf } from '../scenario/contacts.ts';
import { everything, ok } from '../scenario/world.ts';
import { checkOnce, eventually, isSettled, type Upgraded } from './upgraded.ts';

/** Every campaign resumes where it stopped: nobody gets an email twice, and nobody is left out. */
export async function checkCampaigns(upgraded: Upgraded) {
  const { client, manifest } = upgraded;
  const { campaigns, contacts } = manifest;
  const get = (id: string) => ok(client.get(`/v2/campaigns/${id}`));
  const statusOf = async (id: string) => (await get(id)).status;
  assert.deepEqual(await Promise.all([campaigns.paused, campaigns.cancelled, campaigns.draft, campaigns.sent].map(statusOf)), [
    'paused',
    'cancelled',
    'draft',
    'sent',
  ]);
  const later = await get(campaigns.later);
  const day = 24 * 60 * 60 * 1_000;
  const waits = Date.parse(later.schedule_at) - Date.parse(manifest.crashed_at);
  assert.ok(later.status === 'scheduled' && waits > 2.5 * day && waits < 3 * day, later.schedule_at);

  await ok(client.post(`/v2/campaigns/${campaigns.paused}/resume`));
  await ok(client.post(`/v2/campaigns/${campaigns.tested}/winner`, { variant: 'b' }));
  const finishing = {
    Sent: campaigns.sent,
    Paused: campaigns.paused,
    Sending: campaigns.sending,
    Freezing: campaigns.freezing,
    Due: campaigns.due,
  };
  const all: [string, string][] = [...Object.entries<string>(finishing), ['Test', campaigns.tested]];
  for (const [name, id] of all) {
    await eventually(async () => (await statusOf(id)) === 'sent');
    const rows: Json[] = await eventually(async () => {
      const ledger = await everything(client, `/v2/campaigns/${id}/ledger`);
      return ledger.every(({ state }) => isSettled(state)) && ledger;
    });
    const { reconciliation } = await ok(client.get(`/v2/campaigns/${id}/ledger?limit=1`));
    assert.ok(reconciliation.reconciles && reconciliation.audience_count === rows.length, JSON.stringify(reconciliation));
    assert.deepEqual(rows.map(({ contact_id }) => contact_id).sort(), contacts.ids.slice(0, 60).sort(), name);
    for (const { contact_id, state, variant } of rows) {
      const to = emailOf(contacts.ids.indexOf(contact_id));
      const subject = name === 'Test' ? `Test ${variant === 'a' ? 'A' : 'B'}` : name;
      checkOnce(upgraded, { to, subject, state });
    }
    const skipped = rows.filter(({ state }) => state === 'skipped');
    assert.deepEqual(
      skipped.map(({ contact_id }) => contact_id).sort(),
      [contacts.unsubscribed, contacts.suppressed].sort(),
      `${name} skips only those who must not be emailed`,
    );
  }
  for (const { contact_id, state } of await everything(client, `/v2/campaigns/${campaigns.cancelled}/ledger`))
    checkOnce(upgraded, { to: emailOf(contacts.ids.indexOf(contact_id)), subject: 'Cancelled', state });

  const { counts } = await ok(client.get(`/v2/campaigns/${campaigns.sent}/analytics`));
  assert.equal(counts.clicked.unique.human, campaigns.clicked.length);
}

/** Every message that was acknowledged is sent once. */
export async function checkMessages(upgraded: Upgraded) {
  const { client, manifest } = upgraded;
  for (const { id, subject, to } of manifest.load.messages.acknowledged) {
    const message = await eventually(async () => {
      const one = await ok(client.get(`/v2/campaigns/messages/${id}`));
      return isSettled(one.state) && one;
    });
    assert.ok(['sent', 'delivered', 'unknown'].includes(message.state), `${subject} is ${message.state}`);
    checkOnce(upgraded, { to, subject, state: message.state });
  }
}

/** Every webhook gets every event of a contact that was created, and none twice since the crash. */
export async function checkWebhooks({ client, hooks, manifest }: Upgraded) {
  const { webhooks } = manifest;
  const writes: Json[] = manifest.load.contacts.acknowledged;
  const created: string[] = [...webhooks.contacts, ...writes.map((one) => one.id)];
  const unreported = () => {
    const bodies = hooks.calls.filter(({ path }) => path === '/broken').map(({ body }) => JSON.parse(body).data);
    const reported = new Set(bodies.map(({ contact, id }) => contact?.id ?? id));
    return created.filter((id) => !reported.has(id));
  };
  await eventually(async () => unreported().length === 0);
  for (const id of [webhooks.healthy, webhooks.broken]) {
    // In one read: while events from before the upgrade arrive, a delivery can be added after none was pending.
    const deliveries = await eventually(async () => {
      const all: Json[] = await everything(client, `/v2/webhooks/${id}/deliveries`);
      return all.every(({ status }) => status !== 'pending') && all;
    });
    assert.deepEqual([...new Set(deliveries.map(({ status }) => status))], ['delivered']);
    assert.equal(new Set(deliveries.map(({ event_id }) => event_id)).size, deliveries.length);
  }
  const since = hooks.calls.filter(({ path }) => path === '/broken').map(({ id }) => id);
  assert.equal(new Set(since).size, since.length, 'no delivery is sent twice');
}
