import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { serviceNames } from '@mp/contracts/services';
import { eventually } from '@mp/test-kit/eventually';
import { removeStreams } from '@mp/test-kit/remove-streams';
import { createClient } from './client.ts';
import { copyDatabases, restoreDatabases } from './database-copy.ts';
import { imagePrefix } from './deploy/container.ts';
import { startMailSink } from './mail-sink.ts';
import { type Platform, startPlatform } from './platform.ts';

const from = { email: 'news@example.com', name: 'News' };

/** The steps of an operator, in the order of docs/operations-backup.md. */
const applying = ['gateway', 'contacts', 'campaigns', 'workflows'] as const;

test('a documented restore brings back nothing that must stay deleted and sends nothing twice', {
  skip: imagePrefix && 'the commands run from the sources',
}, async (t) => {
  const [sink, hooks, receiver] = [await startMailSink(t), await startHooks(t), await startHooks(t, 500)];
  const env = { SMTP_URL: sink.url, WEBHOOK_ALLOW_PRIVATE: 'true' };
  let platform = await startPlatform(t, { env });
  let client = await platform.client('--permission', 'admin', '--account', 'restore');
  /** Restarts the services on free ports. */
  async function transientError(more: Record<string, string> = {}) {
    platform = await startPlatform(t, { env: { ...env, ...more }, namespace: platform.namespace });
    client = createClient(platform.url, client.key, await platform.contract());
  }
  const { mongoUrl, natsUrl } = platform.infra;
  const databases = serviceNames.map((name) => `${platform.namespace}_${name}`);
  const webhook = await ok(client.post('/v2/webhooks', { url: receiver.url, events: ['contact.created'] }));
  const create = (name: string) => ok(client.post('/v2/contacts', { email: `${name}@restore.example`, first_name: name }));
  const [erased, withdrawn, suppressed, mailed] = await Promise.all(['erased', 'withdrawn', 'suppressed', 'mailed'].map(create));
  const adminKey = await ok(client.post('/v2/settings/api-keys', { name: 'Second', permission: 'admin' }));
  const limited = await ok(client.post('/v2/settings/api-keys', { name: 'Third', permission: 'admin' }));
  const app = await ok(client.post('/v2/settings/oauth-clients', { name: 'App', permission: 'read_only' }));
  const token = async () => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: app.id, client_secret: app.client_secret });
    const response = await fetch(`${platform.url}/oauth/token`, { method: 'POST', body });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const accessToken = (await token()).body.access_token;
  const statusWith = async (key: string) => (await createClient(platform.url, key).get('/v2/me')).status;

  /** An account that is suspended after the backup. */
  const neighbour = await platform.client('--permission', 'admin', '--account', 'late-payer');
  const neighboursStatus = async () => (await createClient(platform.url, neighbour.key).get('/v2/contacts')).status;

  /** An account whose import is in no segment at the time of the backup. Beyond 500 rows, events take the bulk lane. */
  const crowd = await platform.client('--permission', 'admin', '--account', 'crowd');
  const segment = await ok(crowd.post('/v2/segments', { name: 'Crowd', definition: { field: 'first_name', op: 'eq', value: 'Crowd' } }));
  await eventually(async () => (await ok(crowd.get(`/v2/segments/${segment.id}`))).status === 'ready');
  await platform.stop('segments');
  const rows = Array.from({ length: 600 }, (_, n) => `crowd${n}@restore.example,Crowd`).join('\n');
  const job = await ok(crowd.call('POST', '/v2/contacts/imports', `email,first_name\n${rows}`, { 'content-type': 'text/csv' }));
  await eventually(async () => (await ok(crowd.get(`/v2/contacts/imports/${job.id}`))).status === 'completed');

  const workflow = await ok(
    client.post('/v2/workflows', {
      name: 'Ends after the backup',
      trigger: { type: 'manual' },
      steps: [
        { id: 'tag', type: 'add_tag', tag: 'begun', next: 'call' },
        { id: 'call', type: 'webhook', url: hooks.url, method: 'POST', next: 'mail' },
        { id: 'mail', type: 'send', subject: 'From the workflow', from, html: '<p>Hi</p>' },
      ],
    }),
  );
  // The run waits at its first step, because contacts is stopped.
  await platform.stop('contacts');
  const runId: string = await eventually(async () => {
    const { status, data } = await client.post(`/v2/workflows/${workflow.id}/trigger`, { contact_id: mailed.id });
    // Until the projection has this contact, workflows would need a reply from contacts.
    return status < 300 && (data.runs[0].run_id ?? undefined);
  });
  const run = async () => ok(client.get(`/v2/workflows/runs/${runId}`));
  assert.equal((await run()).step_id, 'tag');
  const campaign = await ok(
    client.post('/v2/campaigns', { name: 'Hello', subject: 'From the campaign', from, html: '<p>Hi</p>', audience: { include: ['all'] } }),
  );

  const deliveries = async () => (await ok(client.get(`/v2/webhooks/${webhook.id}/deliveries`))).items;
  await eventually(async () => (await deliveries()).filter((one: { attempt_count: number }) => one.attempt_count > 0).length === 4);

  const backup = await copyDatabases(mongoUrl, databases);
  const backupAt = new Date(Date.now() - 60_000).toISOString();
  const inBulkLane = (backup.get(`${platform.namespace}_contacts.outbox`) ?? []).flatMap(({ lane, events }) =>
    lane === 'bulk' ? events : [],
  );
  assert.ok(inBulkLane.length >= 100, `${inBulkLane.length} events in the bulk lane`);
  for (const name of ['contacts', 'segments'] as const) await platform.start(name);

  // The receiver accepts what it rejected before the backup.
  receiver.respond(200);
  for (const { id } of await deliveries()) await ok(client.post(`/v2/webhooks/deliveries/${id}/replay`));
  await eventually(async () => (await deliveries()).every((one: { status: string }) => one.status === 'delivered'));
  const accepted = new Set((await deliveries()).map((one: { event_id: string }) => one.event_id));
  assert.equal(accepted.size, 4);

  await eventually(async () => (await run()).state === 'completed');
  await ok(client.put(`/v2/contacts/${withdrawn.id}/consent`, { email: { status: 'unsubscribed' } }));
  await ok(client.post('/v2/contacts/suppressions', { email: 'suppressed@restore.example' }));
  const erasure = await ok(client.post(`/v2/contacts/${erased.id}/erase`));
  const late = await create('late');
  await ok(client.put(`/v2/contacts/${late.id}/consent`, { email: { status: 'unsubscribed' } }));
  await ok(client.post(`/v2/settings/api-keys/${adminKey.id}/revoke`));
  await ok(client.put(`/v2/settings/api-keys/${limited.id}`, { permission: 'read_only' }));
  await ok(client.post(`/v2/settings/oauth-clients/${app.id}/revoke`));
  await platform.command('account.ts', 'set', '--account', 'late-payer', '--status', 'suspended');
  await ok(client.post(`/v2/campaigns/${campaign.id}/send`));
  const isSent = async () => (await ok(client.get(`/v2/campaigns/${campaign.id}`))).status === 'sent';
  await eventually(isSent);
  const isErased = async () => (await ok(client.get(`/v2/contacts/erasures/${erasure.id}`))).status === 'completed';
  await eventually(isErased);
  const left = () => sink.caught.map(({ to, mail }) => `${to}: ${mail.subject}`).sort();
  assert.deepEqual(left(), ['mailed@restore.example: From the campaign', 'mailed@restore.example: From the workflow']);
  assert.equal(hooks.calls(), 1);

  const journal = await eventually(async () => {
    const text = await platform.operate('contacts', ['export-journal', '--since', backupAt]);
    // The latest events reach the streams shortly after the responses.
    const isComplete = [...accepted].every((id) => text.includes(String(id)));
    const kinds = new Set(
      text
        .trim()
        .split('\n')
        .map((line) => `${JSON.parse(line).kind} ${JSON.parse(line).type ?? ''}`.trim()),
    );
    return (
      isComplete &&
      [
        'message',
        'effect webhook',
        'effect send',
        'erasure',
        'credential',
        'account',
        'consent',
        'suppression',
        'delivery',
        'exported',
      ].every((one) => kinds.has(one)) &&
      text
    );
  });
  assert.doesNotMatch(journal, /restore\.example/, 'the journal outlives erased contacts and contains no email address');
  await stopAll(platform);
  await restoreDatabases(mongoUrl, databases, backup);
  await removeStreams(natsUrl, platform.namespace);
  await transientError({ MAINTENANCE: '1' });
  const republishFrom = new Date(Date.now() - 7 * 24 * 60 * 60_000).toISOString();
  await Promise.all(serviceNames.map((name) => platform.operate(name, ['republish', '--since', republishFrom])));

  await t.test('the backup alone restores everything', async () => {
    assert.deepEqual([await statusWith(adminKey.key), await statusWith(accessToken)], [200, 200]);
    assert.equal(await neighboursStatus(), 200);
    assert.equal((await client.get(`/v2/contacts/${erased.id}`)).status, 200);
    assert.equal((await ok(client.get(`/v2/contacts/${withdrawn.id}`))).status, 'active');
    assert.notEqual((await run()).state, 'completed');
  });

  await t.test('a truncated journal is rejected', async () => {
    const cut = journal.trim().split('\n').slice(0, -1).join('\n');
    await assert.rejects(platform.operate('workflows', ['apply-journal'], cut), /ended with 1/);
  });

  await t.test('the journal removes it again, and applying it twice changes nothing', async () => {
    await Promise.all(applying.map((name) => platform.operate(name, ['apply-journal'], journal)));
    const again = await Promise.all(applying.map((name) => platform.operate(name, ['apply-journal'], journal)));
    for (const printed of again) {
      const { level, time, service, msg, ...done } = JSON.parse(printed.trim().split('\n').at(-1) ?? '');
      assert.deepEqual(new Set(Object.values(done)), new Set([0]), `${service}: ${JSON.stringify(done)}`);
    }
  });

  await t.test('a revoked key is rejected, and a limited key stays limited', async () => {
    await eventually(async () => (await statusWith(adminKey.key)) === 401 && (await statusWith(accessToken)) === 401);
    assert.equal((await token()).status, 401);
    const third = await ok(client.get(`/v2/settings/api-keys/${limited.id}`));
    assert.deepEqual([third.permission, third.status], ['read_only', 'active']);
  });

  await t.test('a suspended account stays suspended', async () => {
    await eventually(async () => (await neighboursStatus()) === 403);
  });

  await t.test('the erased contact is deleted from every service, under its original erasure', async () => {
    assert.equal((await client.get(`/v2/contacts/${erased.id}`)).status, 404);
    await eventually(isErased);
  });

  await t.test('a contact that withdrew consent stays unsubscribed, even one that is not in the backup', async () => {
    const statusOf = async (id: string) => (await ok(client.get(`/v2/contacts/${id}`))).status;
    assert.equal(await statusOf(withdrawn.id), 'unsubscribed');
    await eventually(async () => (await statusOf(suppressed.id)) === 'suppressed');
    assert.equal((await create('late')).status, 'suppressed');
  });

  await t.test('in MAINTENANCE mode nothing is sent, even if requested', async () => {
    await create('new');
    await ok(client.post(`/v2/campaigns/${campaign.id}/send`));
    await ok(client.post(`/v2/workflows/${workflow.id}/trigger`, { contact_id: suppressed.id }));
    await eventually(async () => (await run()).step_id !== 'tag');
    assert.equal((await ok(client.get(`/v2/campaigns/${campaign.id}`))).status, 'freezing');
    for (const name of ['campaigns', 'workflows', 'contacts', 'gateway'] as const)
      assert.match(await platform.log(name), /MAINTENANCE is on/);
  });

  await t.test('after MAINTENANCE, what was sent before is not sent again, and the rest is', async () => {
    await stopAll(platform);
    receiver.ids.length = 0;
    assert.deepEqual([left().length, hooks.calls()], [2, 1]);
    await transientError();
    await eventually(async () => (await run()).state === 'completed');
    await eventually(isSent);
    const runs = async () => (await ok(client.get(`/v2/workflows/${workflow.id}/runs`))).items;
    await eventually(async () => (await runs()).every(({ state }: { state: string }) => state === 'completed'));
    await eventually(async () => sink.to('new@restore.example').length > 0);
    assert.deepEqual(left(), [
      'mailed@restore.example: From the campaign',
      'mailed@restore.example: From the workflow',
      'new@restore.example: From the campaign',
    ]);
    assert.equal(hooks.calls(), 2, 'the run that started in MAINTENANCE mode makes its call, the one in the backup does not');
    await eventually(async () => (await deliveries()).every((one: { status: string }) => one.status === 'delivered'));
    assert.deepEqual(
      receiver.ids.filter((id) => accepted.has(id)),
      [],
    );
    assert.ok(receiver.ids.length > 0, 'contacts created since are notified');
    const { reconciliation } = await ok(client.get(`/v2/campaigns/${campaign.id}/ledger`));
    assert.equal(reconciliation.reconciles, true);
  });

  await t.test(
    'an import that was in no segment at the time of the backup is in its segment, with the events of the bulk lane',
    async () => {
      const account = createClient(platform.url, crowd.key);
      const idsIn = async (path: string) => {
        const ids: string[] = [];
        for (let cursor = ''; ; ) {
          const { items, pagination } = await ok(account.get(`${path}?limit=100${cursor}`));
          ids.push(...items.map(({ id }: { id: string }) => id));
          if (!pagination.next_cursor) return ids.sort();
          cursor = `&cursor=${pagination.next_cursor}`;
        }
      };
      const contacts = await idsIn('/v2/contacts');
      assert.equal(contacts.length, 600);
      const members = () => idsIn(`/v2/segments/${segment.id}/contacts`);
      await eventually(async () => (await members()).length === contacts.length);
      assert.deepEqual(await members(), contacts);
    },
  );
});

async function stopAll(platform: Platform) {
  await Promise.all(serviceNames.map((name) => platform.stop(name)));
}

async function ok(pending: ReturnType<ReturnType<typeof createClient>['get']>) {
  const { status, data, body } = await pending;
  assert.ok(status >= 200 && status < 300, `${status} ${JSON.stringify(body)}`);
  return data;
}

/** A receiver of webhooks. */
async function startHooks(t: TestContext, status = 200) {
  const ids: string[] = [];
  let responds = status;
  const server = createServer((request, response) => {
    ids.push(String(request.headers['webhook-id']));
    response.writeHead(responds).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`,
    ids,
    calls: () => ids.length,
    respond: (next: number) => {
      responds = next;
    },
  };
}
