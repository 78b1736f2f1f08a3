import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CampaignReport } from '@mp/contracts/requests/campaigns';
import { WorkflowReport } from '@mp/contracts/requests/workflows';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import type { Delivery, Mail } from '../users/mailer.ts';
import { createComposeReport } from './compose-report.ts';
import { createMailReports } from './mail-reports.ts';
import { nextWeekly } from './report-email.ts';
import { createStopLinks } from './stop-links.ts';

const dayMs = 86_400_000;
const emails = { accepted: 19, opened: 7, clicked: 5, unsubscribed: 1, bounced: 0, converted: 4, conversions: 5 };
const figures = { ...emails, revenue: [{ currency: 'EUR', amount: 201 }] };

test('report emails', async (t) => {
  // Monday, 2 March 2026.
  let time = Date.parse('2026-03-02T10:00:00.000Z');
  const now = () => time;
  const gateway = await startTestGateway(t, { live: true, now });
  const { parts, stores } = gateway;
  const campaigns = new Map<string, string>();
  const workflows = new Map<string, string>();
  const as_of = '2026-03-02T09:59:00.000Z';
  await parts.broker.reply(CampaignReport, async ({ account_id, campaign_id }) => {
    if (campaigns.get(campaign_id) !== account_id) return { report: null };
    return { report: { name: 'Spring\nnews', status: 'sent', recipients: 20, emails: figures, as_of } };
  });
  await parts.broker.reply(WorkflowReport, async ({ account_id, workflow_id }) => {
    if (workflows.get(workflow_id) !== account_id) return { report: null };
    const steps = [
      { name: '10% for you', entered: 12, emails: figures },
      { name: 'Your voucher is still here', entered: 7, emails: { ...figures, revenue: [] } },
    ];
    return { report: { name: 'Voucher', status: 'active', entered: 12, completed: 7, converted: 0, emails: figures, steps, as_of } };
  });

  const mails: Mail[] = [];
  let outcome: () => Promise<Delivery> = async () => ({ status: 'sent' });
  const stopLinks = createStopLinks(parts.contextKeys, 'https://mp.example.com');
  const worker = (leaseMs = 60_000) =>
    createMailReports({
      ...{ mongo: parts.mongo, logger: parts.logger, ...stores, now, leaseMs, retryMs: { first: 60_000, max: 60_000 } },
      composeReport: createComposeReport({ broker: parts.broker, stopLinks, publicUrl: 'https://mp.example.com' }),
      deliver: (mail) => {
        mails.push(mail);
        return outcome();
      },
    });
  /** What a worker sends until nothing is due. */
  async function work(until: () => Promise<boolean>) {
    mails.length = 0;
    const own = worker();
    own.start();
    await eventually(until);
    await own.stop();
    return mails.map(({ to }) => to).sort();
  }
  const rows = (report: string) => parts.mongo.db.collection('report_mails').find({ report_id: report }).toArray();
  const settled = (report: string, count: number) => async () =>
    (await rows(report)).filter(({ status }) => status !== 'waiting' && status !== 'sending').length === count;

  async function company() {
    const account = await gateway.makeAccount();
    const key = await gateway.makeKey({ account });
    const domain = `${account.id.replace('_', '-')}.example`;
    const invite = async (email: string, role = 'viewer') =>
      (await gateway.send('POST', '/v2/settings/users', { email, role }, { key })).data.id as string;
    const [ada, bea] = [await invite(`ada@${domain}`), await invite(`bea@${domain}`)];
    const [campaign, workflow] = [newId('campaign'), newId('workflow')];
    campaigns.set(campaign, account.id);
    workflows.set(workflow, account.id);
    const api = (method: string, path = '', body: object = {}, own = key) =>
      gateway.send(method, `/v2/report-emails${path}`, body, { key: own });
    return { account, domain, key, ada, bea, campaign, workflow, api, invite };
  }

  await t.test('are sent once at their time, to each user once, with the numbers of the report', async () => {
    const { domain, ada, bea, workflow, api } = await company();
    const send_at = new Date(time + dayMs).toISOString();
    const { status, data, text, headers } = await api('POST', '', { workflow_id: workflow, user_ids: [ada, bea], send_at });
    assert.equal(status, 201, text);
    assert.equal(headers.get('location'), `/v2/report-emails/${data.id}`);
    assert.deepEqual([data.next_send_at, data.last_sent_at, data.weekly], [send_at, null, null]);
    await work(async () => true);
    assert.deepEqual(await rows(data.id), [], 'not before its time');
    time += dayMs;
    assert.deepEqual(await work(settled(data.id, 2)), [`ada@${domain}`, `bea@${domain}`]);
    const [mail] = mails;
    assert.equal(mail?.subject, 'Report: Voucher');
    assert.match(String(mail?.text), /Entered +12\n/);
    assert.match(String(mail?.text), /Opened +7 +36\.8%\n/);
    assert.match(String(mail?.text), /Revenue +€201\.00/);
    assert.match(String(mail?.text), /10% for you\n {2}19 emails, 7 opened, 5 clicked, 5 orders, €201\.00/);
    assert.match(String(mail?.text), new RegExp(`https://mp\\.example\\.com/workflows/${workflow}`));
    const after = (await api('GET', `/${data.id}`)).data;
    assert.deepEqual([after.next_send_at, after.last_sent_at !== null, after.last_failure], [null, true, null]);
    time += 7 * dayMs;
    assert.deepEqual(await work(async () => true), []);
  });

  await t.test('are sent weekly in the time zone of the account, which can change, and once after a long stop', async () => {
    assert.deepEqual(
      nextWeekly({ weekday: 'sunday', time: '02:30' }, 'Europe/Berlin', new Date('2026-03-28T12:00:00Z')).toISOString(),
      '2026-03-29T01:00:00.000Z',
    );
    const { account, domain, key, ada, campaign, api } = await company();
    time = Date.parse('2026-03-11T10:00:00.000Z');
    const weekly = { weekday: 'monday', time: '08:00' };
    const { data, text } = await api('POST', '', { campaign_id: campaign, user_ids: [ada], weekly });
    assert.equal(data?.next_send_at, '2026-03-16T08:00:00.000Z', text);
    await gateway.send('PUT', '/v2/settings/account', { timezone: 'Europe/Berlin' }, { key });
    // The route reads the real clock.
    await parts.mongo.transaction({ correlationId: 't', causationId: null }, (tx) =>
      stores.reportEmails.reschedule(tx, account.id, 'Europe/Berlin', new Date(time)),
    );
    assert.equal((await api('GET', `/${data.id}`)).data.next_send_at, '2026-03-16T07:00:00.000Z');
    time = Date.parse('2026-03-31T10:00:00.000Z');
    assert.deepEqual(await work(settled(data.id, 1)), [`ada@${domain}`]);
    assert.match(String(mails[0]?.text), /every Monday at 08:00 \(Europe\/Berlin\)/);
    assert.match(String(mails[0]?.subject), /^Report: Spring news$/);
    assert.equal((await api('GET', `/${data.id}`)).data.next_send_at, '2026-04-06T06:00:00.000Z', 'summer time');
  });

  await t.test('are not sent twice if a process ends while the mail server has one, and later if it ended before', async () => {
    const { account, domain, ada, bea, workflow, api } = await company();
    const once = { workflow_id: workflow, send_at: new Date(time).toISOString() };
    const { data } = await api('POST', '', { ...once, user_ids: [ada] });
    outcome = () => new Promise(() => undefined);
    const killed = worker(1_000);
    mails.length = 0;
    killed.start();
    await eventually(async () => mails.length === 1);
    // It was killed, so it never continues.
    outcome = async () => ({ status: 'sent' });
    time += 2_000;
    assert.deepEqual(await work(settled(data.id, 1)), []);
    assert.deepEqual(
      (await rows(data.id)).map(({ status }) => status),
      ['unknown'],
    );

    const { data: second } = await api('POST', '', { ...once, user_ids: [bea] });
    await parts.mongo.transaction({ correlationId: 't', causationId: null }, async (tx) => {
      const due = await stores.reportEmails.get(account.id, second.id, tx);
      await stores.reportEmails.moveOn(tx, due, null, new Date(time));
      await stores.reportMails.add(tx, due, new Date(time), new Date(time));
    });
    assert.ok(await stores.reportMails.queue.claim(new Date(time), 1_000, []), 'by a process that ends here');
    assert.deepEqual(await work(async () => true), []);
    time += 2_000;
    assert.deepEqual(await work(settled(second.id, 1)), [`bea@${domain}`]);
  });

  await t.test('wait for a mail server that is unavailable, and say why it rejected one', async () => {
    const { ada, workflow, api } = await company();
    const { data } = await api('POST', '', { workflow_id: workflow, user_ids: [ada], send_at: new Date(time).toISOString() });
    outcome = async () => ({ status: 'retry', reason: 'connect ECONNREFUSED' });
    await work(async () => mails.length === 1 && (await rows(data.id)).every(({ status }) => status === 'waiting'));
    outcome = async () => ({ status: 'failed', reason: '550 no such mailbox' });
    time += 61_000;
    await work(settled(data.id, 1));
    assert.equal((await api('GET', `/${data.id}`)).data.last_failure, '550 no such mailbox');
    outcome = async () => ({ status: 'sent' });
  });

  await t.test('of an account with very many do not delay those of another', async () => {
    const [many, few] = [await company(), await company()];
    const at = new Date(time).toISOString();
    const users = await Promise.all(Array.from({ length: 20 }, (_, index) => many.invite(`u${index}@${many.domain}`)));
    const { data: large } = await many.api('POST', '', { workflow_id: many.workflow, user_ids: users, send_at: at });
    const { data: small } = await few.api('POST', '', { workflow_id: few.workflow, user_ids: [few.ada], send_at: at });
    await work(async () => (await settled(large.id, 20)()) && (await settled(small.id, 1)()));
    assert.ok(mails.findIndex(({ to }) => to === `ada@${few.domain}`) < 8, 'in its turn');
  });

  await t.test('are stopped by their users with the link of the email, without signing in', async () => {
    const { key, ada, bea, workflow, api } = await company();
    const { data } = await api('POST', '', { workflow_id: workflow, user_ids: [ada, bea], weekly: { weekday: 'friday', time: '09:00' } });
    time = Date.parse(data.next_send_at);
    await work(settled(data.id, 2));
    const link = mails.find(({ to }) => to.startsWith('ada'))?.headers?.['List-Unsubscribe'] ?? '';
    const token = /#token=([^>]+)/.exec(link)?.[1] ?? '';
    const stop = (given: string) => gateway.send('POST', '/auth/report-emails/stop', { token: given });
    assert.equal((await stop(`${token}x`)).status, 401);
    assert.equal((await stop(token)).status, 200);
    assert.equal((await stop(token)).status, 200);
    assert.deepEqual((await api('GET', `/${data.id}`)).data.user_ids, [bea]);
    await gateway.send('DELETE', `/v2/settings/users/${bea}`, undefined, { key });
    assert.equal((await api('GET', `/${data.id}`)).status, 404, 'nobody gets it any more');
    const { items } = (await gateway.send('GET', '/v2/settings/audit-log?action=report_email.stopped', undefined, { key })).data;
    assert.deepEqual(
      items.map((entry: { actor_id: string; target_id: string }) => [entry.actor_id, entry.target_id]),
      [[ada, data.id]],
    );
  });

  await t.test('need the right to change their campaign or workflow, and are invisible to other accounts', async () => {
    const { account, ada, bea, campaign, workflow, api, key } = await company();
    const other = await company();
    const body = { workflow_id: workflow, user_ids: [ada], send_at: '2030-01-01T00:00:00Z' };
    const withScopes = (scopes: Parameters<typeof gateway.makeKey>[0]) => gateway.makeKey({ account, permission: 'read_write', ...scopes });
    const ofCampaigns = await withScopes({ scopes: ['campaigns:read', 'campaigns:write'] });
    const reader = await withScopes({ permission: 'read_only' });
    const neither = await withScopes({ scopes: ['contacts:read'] });
    assert.equal((await api('POST', '', body, ofCampaigns)).status, 403);
    assert.equal((await api('POST', '', body, reader)).status, 403);
    const { data } = await api('POST', '', body, await withScopes({}));
    const { data: second } = await api('POST', '', { ...body, workflow_id: undefined, campaign_id: campaign }, ofCampaigns);
    const ids = async (query = '', own = key) => (await api('GET', query, {}, own)).data.items.map(({ id }: { id: string }) => id);
    assert.deepEqual(
      [await ids(), await ids('', ofCampaigns), await ids(`?workflow_id=${workflow}`)],
      [[second.id, data.id], [second.id], [data.id]],
    );
    assert.equal((await api('GET', '', {}, neither)).status, 403);
    assert.equal((await api('GET', `/${data.id}`, {}, ofCampaigns)).status, 404);
    for (const method of ['GET', 'PUT', 'DELETE']) assert.equal((await other.api(method, `/${data.id}`)).status, 404, method);
    assert.equal((await api('DELETE', `/${data.id}`, {}, reader)).status, 403);
    assert.equal((await api('GET', `/${data.id}`, {}, reader)).status, 200);

    for (const [change, path] of [
      [{ user_ids: [other.ada] }, '/user_ids/0'],
      [{ workflow_id: other.workflow }, '/workflow_id'],
      [{ campaign_id: campaign }, '/campaign_id'],
      [{ weekly: { weekday: 'monday', time: '08:00' } }, '/send_at'],
      [{ user_ids: [ada, ada] }, '/user_ids'],
    ] as const) {
      const { status, error } = await api('POST', '', { ...body, ...change });
      assert.deepEqual([status, error.details[0].path], [400, path]);
    }
    const changed = await api('PUT', `/${data.id}`, {
      ...data,
      send_at: undefined,
      weekly: { weekday: 'monday', time: '08:00' },
      user_ids: [ada, bea],
    });
    assert.deepEqual([changed.status, changed.data?.send_at, changed.data?.revision], [200, null, 2], changed.text);
    assert.equal((await api('PUT', `/${data.id}`, { weekly: null })).status, 400);
    assert.equal((await api('PUT', `/${data.id}`, { workflow_id: other.workflow })).status, 400);
    assert.deepEqual((await api('DELETE', `/${data.id}`)).data, { id: data.id, deleted: true });
    const { items } = (await gateway.send('GET', `/v2/settings/audit-log?target_id=${data.id}`, undefined, { key })).data;
    assert.deepEqual(
      items.map(({ action }: { action: string }) => action),
      ['report_email.deleted', 'report_email.changed', 'report_email.created'],
    );
  });
});
