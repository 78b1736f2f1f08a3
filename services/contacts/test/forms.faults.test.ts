import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactDeleted, FormConfirmationRequested, FormConfirmed, FormFlooded, FormSubmitted } from '@mp/contracts/events/contacts';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testInfra } from '@mp/test-kit/infra';
import { startServiceProcess } from '@mp/test-kit/service-process';
import { createTcpProxy } from '@mp/test-kit/tcp-proxy';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { writtenEvents } from '@mp/test-kit/written-events';
import { buildApp } from '../src/app.ts';
import { aForm } from './forms.ts';
import { aVisitor, confirmations } from './visitors.ts';

const forms = '/v2/contacts/forms';
const ada = { fields: { email: 'ada@example.com' }, consents: ['news'], submission_id: 'submission-1' };

test('after kills, a submission, its confirmation and its expiry are stored once, and nothing is lost', async (t) => {
  const service = await startServiceProcess(t, 'contacts', await testInfra());
  const { db } = service.parts.mongo;
  const counted = async (...types: { subject: string }[]) => Promise.all(types.map(({ subject }) => service.published(subject)));
  const first = await service.start();
  const { data: form } = await service.post(forms, aForm());
  await service.kill(first);

  /** Sends it to a service that dies right after the commit, and again to one that lives. */
  async function sendTwice(path: string, body: object) {
    const dying = await service.startDying(1);
    await service.post(path, body);
    await dying.gone();
    const living = await service.start();
    assert.equal((await service.post(path, body)).status, 200);
    await service.kill(living);
  }
  await sendTwice(`/f/${form.id}/submissions`, ada);
  assert.deepEqual(await counted(FormSubmitted, FormConfirmationRequested), [1, 1]);
  const [requested] = await confirmations(service.parts, service.accountId);
  await sendTwice(requested?.confirm_path ?? '', {});
  assert.deepEqual(await counted(FormSubmitted, FormConfirmationRequested, FormConfirmed), [1, 1, 1]);

  await sendTwice(`/f/${form.id}/submissions`, { ...ada, fields: { email: 'grace@example.com' }, submission_id: 'submission-2' });
  const past = new Date(0);
  await db.collection('opt_ins').updateMany({ state: 'open' }, { $set: { expires_at: past, due_at: past } });
  await (await service.startDying(1)).gone();
  await service.start();
  await eventually(async () => (await db.collection('opt_ins').countDocuments({ due_at: { $lte: new Date() } })) === 0);
  const { data } = await service.get('/v2/contacts');
  assert.deepEqual(
    data.items.map(({ email }: { email: string }) => email),
    ['ada@example.com'],
  );
  assert.equal(data.items[0].consent.topics.newsletter.email.status, 'subscribed');
  assert.deepEqual(await counted(ContactDeleted, FormConfirmed), [1, 1]);
  const { counts } = (await service.get(`${forms}/${form.id}/report`)).data;
  assert.deepEqual([counts.submissions, counts.new_contacts, counts.awaiting_confirmation, counts.confirmations], [2, 2, 2, 1]);
});

test('submissions are accepted while NATS is unavailable, and their confirmations are requested once it is back', async (t) => {
  const infra = await testInfra();
  const proxy = await createTcpProxy(t, infra.natsUrl);
  await proxy.open();
  const natsUrl = new URL(infra.natsUrl);
  natsUrl.port = String(proxy.port);
  const service = await startServiceProcess(t, 'contacts', { ...infra, natsUrl: natsUrl.href });
  const events = await listenToEvents(t);
  const ofService = ({ account_id }: { account_id: string }) => account_id === service.accountId;
  await service.start();
  const { data: form } = await service.post(forms, aForm());
  await proxy.close();
  assert.equal((await service.post(`/f/${form.id}/submissions`, ada)).status, 200);
  assert.equal(events.count(FormConfirmationRequested), 0);
  await proxy.open();
  const { data } = await events.next(FormConfirmationRequested, ofService);
  assert.equal((await service.post(data.confirm_path)).status, 200);
  await events.next(FormConfirmed, ofService);
});

test('a flood of 10,000 submissions is held to the limits of the form: first no more confirmations, then no more submissions', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);
  const account = testClient(app);
  const limits = { submissions_per_hour: 400, confirmations_per_hour: 50 };
  const { data: form } = await account.post(forms, { ...aForm(), limits, captcha: 'off' });
  const { data: other } = await account.post(forms, aForm());
  const began = Date.now();
  const statuses = new Map<number, number>();
  let sent = 0;
  const robot = async () => {
    while (sent < 10_000) {
      sent += 1;
      const { status } = await aVisitor(app).submit(form.id, { fields: { email: `flood${sent}@example.com` }, consents: ['news'] });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 8 }, robot));
  const hours = (Date.now() - began) / 3_600_000;
  const most = (perHour: number) => Math.ceil(perHour * (1 + hours)) + 1;
  const accepted = statuses.get(200) ?? 0;
  assert.ok(accepted >= limits.submissions_per_hour && accepted <= most(limits.submissions_per_hour), `${accepted} accepted`);
  assert.equal(accepted + (statuses.get(429) ?? 0), 10_000, JSON.stringify([...statuses]));
  const requested = (await confirmations(parts, account.accountId)).length;
  assert.ok(requested >= limits.confirmations_per_hour && requested <= most(limits.confirmations_per_hour), `${requested} requested`);
  assert.equal((await writtenEvents(parts.mongo.db, { accountId: account.accountId, subject: FormFlooded.subject })).length, 1);
  assert.match((await account.get(`${forms}/${form.id}`)).data.flooded_at, /Z$/);
  assert.equal((await aVisitor(app).submit(other.id, ada)).status, 200, 'other forms are not affected');
  assert.equal((await confirmations(parts, account.accountId)).length, requested + 1);
});
