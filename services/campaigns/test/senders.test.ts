import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CampaignEffectCompleted } from '@mp/contracts/events/campaigns';
import { SendEffectRequested } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { type Client, testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import type { DnsRecord } from '../src/delivery/senders/dns-records.ts';
import type { Sender } from '../src/delivery/senders/sender.ts';
import { routesOnly, sendCampaign, sendSoon, smallest, startSetting, untilStatus } from './setting.ts';

const path = '/v2/campaigns/senders';

/** A DNS with these records; `unavailable` makes every request fail. */
function fakeDns() {
  const records = new Map<string, string>();
  const state = { unavailable: false };
  const find = (type: string, name: string) => {
    if (state.unavailable) throw Object.assign(new Error('queryTxt ETIMEOUT'), { code: 'ETIMEOUT' });
    const value = records.get(`${type} ${name}`);
    if (value === undefined) throw Object.assign(new Error('queryTxt ENOTFOUND'), { code: 'ENOTFOUND' });
    return value;
  };
  return {
    state,
    set: ({ type, name, value }: Pick<DnsRecord, 'type' | 'name' | 'value'>) => records.set(`${type} ${name}`, value),
    remove: ({ type, name }: Pick<DnsRecord, 'type' | 'name'>) => records.delete(`${type} ${name}`),
    // Long texts are split into strings of 255 bytes.
    resolveTxt: async (name: string) => [find('TXT', name).match(/.{1,255}/g) ?? []],
    resolveCname: async (name: string) => [find('CNAME', name)],
  };
}

const recordOf = ({ records }: Sender, purpose: DnsRecord['purpose']): DnsRecord => {
  const record = records.find((one) => one.purpose === purpose);
  assert.ok(record);
  return record;
};

test('sending domains', async (t) => {
  const dns = fakeDns();
  const setup = { BOUNCE_DOMAIN: 'bounces.platform.example', BOUNCE_PORT: 0, SPF_INCLUDE: '_spf.platform.example' };
  const { app, neighbours, sink, parts } = await startSetting(t, { dns, ...setup });
  const account = testClient(app);
  const add = async (domain: string): Promise<Sender> => (await account.post(path, { domain })).data;
  const check = async (id: string): Promise<Sender> => (await account.post(`${path}/${id}/check`)).data;

  await t.test('are verified once the DNS has their key, and return to pending when it is gone', async () => {
    const { status, data, text } = await account.post(path, { domain: 'Verify.Example' });
    assert.deepEqual([status, data.domain, data.status, data.checked_at], [201, 'verify.example', 'pending', null]);
    assert.deepEqual(
      data.records.map(({ purpose, type, name, found }: DnsRecord) => [purpose, type, name.replace(/^mp[^.]+/, 'mp'), found]),
      [
        ['dkim', 'TXT', 'mp._domainkey.verify.example', null],
        ['dmarc', 'TXT', '_dmarc.verify.example', null],
        ['spf', 'TXT', 'verify.example', null],
        ['return_path', 'CNAME', 'bounces.verify.example', null],
      ],
    );
    assert.doesNotMatch(text, /PRIVATE/);
    assert.equal((await check(data.id)).status, 'pending');
    dns.set({ ...recordOf(data, 'dkim'), value: 'v=DKIM1; k=rsa; p=AAAA' });
    assert.equal((await check(data.id)).status, 'pending', 'another key');
    dns.set(recordOf(data, 'dkim'));
    dns.set({ type: 'TXT', name: 'verify.example', value: 'v=spf1 ip4:192.0.2.1 include:_spf.platform.example -all' });
    const verified = await check(data.id);
    assert.deepEqual([verified.status, ...verified.records.map(({ found }) => found)], ['verified', true, false, true, false]);
    dns.state.unavailable = true;
    const unknown = await check(data.id);
    assert.deepEqual([unknown.status, ...unknown.records.map(({ found }) => found)], ['verified', null, null, null, null]);
    dns.state.unavailable = false;
    assert.deepEqual((await check(data.id)).records, verified.records);
    dns.remove(recordOf(data, 'dkim'));
    assert.equal((await check(data.id)).status, 'pending');
    const again = await account.post(path, { domain: 'verify.example' });
    assert.deepEqual([again.status, again.error.details[0].existing_id], [409, data.id]);
    assert.equal((await account.post(path, { domain: 'no domain' })).status, 400);
    assert.equal((await testClient(app).post(path, { domain: 'verify.example' })).status, 201);
  });

  await t.test('sign their emails, including the unsubscribe headers, and have an aligned return path', async () => {
    const own = testClient(app);
    const sender: Sender = (await own.post(path, { domain: 'signed.example' })).data;
    for (const record of sender.records) dns.set(record);
    assert.equal((await own.post(`${path}/${sender.id}/check`)).data.status, 'verified');
    neighbours.contact(own.accountId, { email: 'signed@example.org' });
    const id = await sendCampaign(own, { from: { email: 'news@signed.example', name: 'Zoë' }, html: '<p>Grüße</p>' });
    await untilStatus(own, id, 'sent');
    const [mail] = sink.to('signed@example.org');
    assert.match(mail?.from ?? '', /@bounces\.signed\.example$/);
    const resolver = async (name: string, type: string) => (type === 'TXT' ? dns.resolveTxt(name) : []);
    const { results } = await dkimVerify(mail?.raw ?? Buffer.alloc(0), { resolver });
    assert.deepEqual([results[0]?.status.result, results[0]?.signingDomain], ['pass', 'signed.example']);
    const covered = String(results[0]?.signingHeaders?.keys).toLowerCase();
    for (const name of ['from', 'subject', 'list-unsubscribe:', 'list-unsubscribe-post']) assert.ok(covered.includes(name), covered);
    const tampered = Buffer.from((mail?.raw.toString('latin1') ?? '').replace('One-Click', 'Two-Click'), 'latin1');
    assert.notEqual((await dkimVerify(tampered, { resolver })).results[0]?.status.result, 'pass');

    const other = testClient(app);
    neighbours.contact(other.accountId, { email: 'unsigned@example.org' });
    await untilStatus(other, await sendCampaign(other, { from: { email: 'news@signed.example' } }), 'sent');
    assert.doesNotMatch(sink.to('unsigned@example.org')[0]?.raw.toString() ?? 'DKIM', /DKIM-Signature/);
  });

  await t.test('are required if the operator has configured it', async () => {
    const strict = routesOnly({ dns, REQUIRE_VERIFIED_SENDERS: true })(parts);
    t.after(() => strict.app.close());
    const owner = testClient(strict.app);
    const { id } = (await owner.post('/v2/campaigns', smallest)).data;
    const message = { from: smallest.from, to: { email: 'x@example.com' }, content: { subject: 'Hi', text: 'Hi' } };
    const refused = [
      await owner.post(`/v2/campaigns/${id}/send`),
      await owner.post(`/v2/campaigns/${id}/test`, { to: ['x@example.com'] }),
      await owner.post('/v2/campaigns/messages', message),
    ];
    for (const { status, error } of refused) assert.deepEqual([status, error.details[0].code], [400, 'unverified_domain']);
    assert.equal((await owner.get(`/v2/campaigns/${id}`)).data.status, 'draft');
    assert.equal((await owner.get('/v2/campaigns/messages')).data.items.length, 0, 'nothing is sent');
  });

  await t.test('that are not verified are a warning in the dry run and the send', async () => {
    const own = testClient(app);
    neighbours.contact(own.accountId);
    const { id } = (await own.post('/v2/campaigns', smallest)).data;
    const unverified = {
      code: 'unverified_domain',
      message: 'The domain example.com is not verified; add it with POST /v2/campaigns/senders and check it.',
    };
    const dryRun = await own.post(`/v2/campaigns/${id}/dry-run`);
    const sent = await own.post(`/v2/campaigns/${id}/send`);
    assert.deepEqual([dryRun.data.warnings, sent.data.warnings], [[unverified], [unverified]]);
    const sender: Sender = (await own.post(path, { domain: 'example.com' })).data;
    dns.set(recordOf(sender, 'dkim'));
    await own.post(`${path}/${sender.id}/check`);
    const again = (await own.post(`/v2/campaigns/${id}/duplicate`)).data.id;
    assert.deepEqual((await own.post(`/v2/campaigns/${again}/dry-run`)).data.warnings, []);
  });

  await t.test('an attribute that no contact has ever had, in the email or a variant, is a warning', async () => {
    const own = testClient(app);
    neighbours.contact(own.accountId);
    neighbours.attribute(own.accountId, 'plan');
    const html = '<p>{{ contact.attributes.plan }} {{ contact.attributes.plna }} {{ contact.first_name }}</p>';
    const { id } = (await own.post('/v2/campaigns', { ...smallest, html })).data;
    const message = 'No contact of the account has ever had the attribute plna, which the email reads as contact.attributes.plna.';
    const of = ({ data }: Awaited<ReturnType<typeof own.post>>) =>
      data.warnings.filter(({ code }: { code: string }) => code === 'unknown_attribute');
    assert.deepEqual(of(await own.post(`/v2/campaigns/${id}/dry-run`)), [{ code: 'unknown_attribute', message }]);
    assert.deepEqual(of(await own.post(`/v2/campaigns/${id}/send`)), [{ code: 'unknown_attribute', message }]);
  });

  const fresh = () => `${newId('sender').slice(-8)}.example`;
  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: () => path });
  await guaranteeRoute(t, app, { method: 'POST', scope: 'campaigns:write', url: () => path, body: { domain: fresh() } });
  const one = async (client: Client) => `${path}/${(await client.post(path, { domain: fresh() })).data.id}`;
  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: one });
  await guaranteeRoute(t, app, { method: 'DELETE', scope: 'campaigns:write', url: one });
  await guaranteeRoute(t, app, { method: 'POST', scope: 'campaigns:write', url: async (client) => `${await one(client)}/check`, body: {} });
  assert.ok(await add(fresh()));
});

test('an operator that requires verified domains', async (t) => {
  const dns = fakeDns();
  const { app, neighbours, sink } = await startSetting(t, { dns, REQUIRE_VERIFIED_SENDERS: true });
  const events = await listenToEvents(t);
  const owner = testClient(app);
  const contact = neighbours.contact(owner.accountId, { email: 'strict@example.org' });
  const verify = async () => {
    const sender: Sender = (await owner.post(path, { domain: 'example.com' })).data;
    dns.set(recordOf(sender, 'dkim'));
    await owner.post(`${path}/${sender.id}/check`);
    return sender.id;
  };

  await t.test('has a scheduled campaign fail at its start if its domain is no longer verified, and it can be corrected', async () => {
    const sender = await verify();
    const { id } = (await owner.post('/v2/campaigns', smallest)).data;
    await sendSoon(owner, id, 700);
    await owner.delete(`${path}/${sender}`);
    assert.match((await untilStatus(owner, id, 'failed')).status_reason, /^The domain example\.com is not verified/);
    await verify();
    assert.equal((await owner.post(`/v2/campaigns/${id}/send`)).status, 202);
    await untilStatus(owner, id, 'sent');
  });

  await t.test('has emails of workflows refused with the reason', async () => {
    const message = {
      subject: 'Hi',
      preview_text: null,
      reply_to: null,
      html: '<p>Hi</p>',
      text: null,
      track: { opens: false, clicks: false },
    };
    const request = (effect_key: string, email: string) =>
      neighbours.publish(SendEffectRequested, owner.accountId, {
        ...{ effect_key, run_id: newId('run'), workflow_id: newId('workflow'), contact_id: contact.id },
        message: { ...message, from: { email, name: null } },
      });
    await request('strict:1', 'news@other.example');
    await request('strict:2', 'news@example.com');
    const resultOf = async (key: string) => (await events.next(CampaignEffectCompleted, ({ data }) => data.effect_key === key)).data;
    const refused = await resultOf('strict:1');
    assert.deepEqual([refused.status, refused.reason], ['refused', 'unverified_domain']);
    assert.match(refused.detail ?? '', /^The domain other\.example is not verified/);
    assert.equal((await resultOf('strict:2')).status, 'done');
    assert.equal(sink.to('strict@example.org').length, 2);
  });
});
