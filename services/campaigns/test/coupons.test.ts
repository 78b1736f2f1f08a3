import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CampaignEffectCompleted, MessageConverted } from '@mp/contracts/events/campaigns';
import { EventTracked } from '@mp/contracts/events/leadpulse';
import { SendEffectRequested } from '@mp/contracts/events/workflows';
import { CampaignCoupons } from '@mp/contracts/requests/campaigns';
import { newId } from '@mp/ids';
import type { Client } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { parse } from 'csv-parse/sync';
import { recipientsOf } from '../src/ledger/recipients/recipient-row.ts';
import { account, sendCampaign, smallest, startSetting, untilStatus } from './setting.ts';

type Row = { contact_id: string; address: string | null; status: string; reason: string | null; coupon_code: string | null };

const html = '<p>Your code: {{ coupon.spring }}</p>';
const pool = (client: Client, body: object) => client.post('/v2/campaigns/coupons', { name: 'spring', ...body });
const left = async (client: Client) => (await client.get('/v2/campaigns/coupons')).data.items[0].codes_left;
const ledger = async (client: Client, id: string): Promise<Row[]> => (await client.get(`/v2/campaigns/${id}/ledger`)).data.items;

test('coupons in emails', async (t) => {
  const { app, parts, neighbours, sink } = await startSetting(t);
  const codeSentTo = async (address: string) => /Your code: ([\w-]+)/.exec((await sink.mailTo(address))?.html ?? '')?.[1];

  await t.test('each recipient gets one code, which the ledger shows, and those after the last are skipped with a reason', async () => {
    const owner = account(app);
    neighbours.contacts(owner.accountId, 12, (index) => ({ email: `one${index}@coupon.example` }));
    await pool(owner, { generate: { count: 10 } });
    const id = await sendCampaign(owner, { html });
    await untilStatus(owner, id, 'sent');
    const rows = await ledger(owner, id);
    const sent = rows.filter(({ coupon_code }) => coupon_code !== null);
    assert.deepEqual([sent.length, new Set(sent.map(({ coupon_code }) => coupon_code)).size, await left(owner)], [10, 10, 0]);
    for (const { address, coupon_code } of sent) assert.equal(await codeSentTo(address ?? ''), coupon_code);
    const others = rows.filter(({ coupon_code }) => coupon_code === null);
    assert.deepEqual(
      others.map(({ status, reason }) => [status, reason]),
      [
        ['skipped', 'coupon_exhausted'],
        ['skipped', 'coupon_exhausted'],
      ],
    );
    const story = (await owner.get(`/v2/campaigns/${id}/messages/${others[0]?.contact_id}`)).data;
    assert.match(`${story.explanation} ${story.recipient.detail}`, /No code of the coupon.*spring had no codes left/);
    assert.equal((await owner.get(`/v2/campaigns/${id}/ledger?reason=coupon_exhausted`)).data.items.length, 2);
    const lines: Row[] = parse((await owner.get(`/v2/campaigns/${id}/ledger/export`)).text, { columns: true });
    assert.deepEqual(new Set(lines.map(({ coupon_code }) => coupon_code)), new Set([...sent.map(({ coupon_code }) => coupon_code), '']));
  });

  await t.test('attempts after a rejection and after an unknown outcome have the same code', async () => {
    const owner = account(app);
    for (const email of ['grey@coupon.example', 'dropped@coupon.example']) neighbours.contact(owner.accountId, { email });
    await pool(owner, { generate: { count: 10 } });
    sink.behave((address, attempt) => {
      if (address.startsWith('grey') && attempt === 1) return { rcpt: 450, text: '4.7.1 later' };
      return address.startsWith('dropped') && attempt === 1 ? { drop: 'in_data', kept: true } : 'take';
    });
    const id = await sendCampaign(owner, { html });
    await untilStatus(owner, id, 'sent');
    const given = new Set((await ledger(owner, id)).map(({ coupon_code }) => coupon_code));
    assert.equal((await owner.post(`/v2/campaigns/${id}/resolve-unknown`, { action: 'resend' })).data.resolved, 1);
    await eventually(async () => (await ledger(owner, id)).every(({ status }) => status === 'sent'));
    sink.behave(() => 'take');
    assert.deepEqual(new Set((await ledger(owner, id)).map(({ coupon_code }) => coupon_code)), given);
    const copies = sink.to('dropped@coupon.example').map(({ raw }) => /Your code: ([\w-]+)/.exec(raw.toString())?.[1]);
    assert.ok(copies.length >= 2 && new Set(copies).size === 1);
    assert.equal(await left(owner), 8);
  });

  await t.test('tests use no code, messages use one for each, and all emails of a run have the same', async () => {
    const owner = account(app);
    const events = await listenToEvents(t);
    const ada = neighbours.contact(owner.accountId, { email: 'ada@coupon.example' });
    await pool(owner, { codes: ['FIRST', 'SECOND', 'THIRD'] });
    const { from } = smallest;
    const content = { subject: 'Hi', html };
    await owner.post('/v2/campaigns/test', { to: ['test@coupon.example'], from, content });
    assert.equal(await eventually(() => codeSentTo('test@coupon.example')), 'COUPON-CODE');
    assert.equal(await left(owner), 3);
    const message = { from: { email: from.email, name: null }, to: { email: 'receipt@coupon.example' }, content };
    assert.equal((await owner.post('/v2/campaigns/messages', message)).status, 202);
    assert.match((await eventually(() => codeSentTo('receipt@coupon.example'))) ?? '', /^(FIRST|SECOND|THIRD)$/);
    const step = { ...content, from: message.from, preview_text: null, reply_to: null, text: null, track: { opens: false, clicks: false } };
    const request = { effect_key: 'run_1:1', run_id: newId('run'), workflow_id: newId('workflow'), contact_id: ada.id, message: step };
    for (let repeated = 0; repeated < 3; repeated += 1) await neighbours.publish(SendEffectRequested, owner.accountId, request);
    await events.next(CampaignEffectCompleted, ({ data }) => data.effect_key === 'run_1:1');
    const code = await codeSentTo('ada@coupon.example');
    assert.match(code ?? '', /^(FIRST|SECOND|THIRD)$/);
    await neighbours.publish(SendEffectRequested, owner.accountId, {
      ...request,
      effect_key: 'run_1:2',
      message: { ...step, subject: 'Reminder' },
    });
    await events.next(CampaignEffectCompleted, ({ data }) => data.effect_key === 'run_1:2');
    assert.deepEqual(
      sink.to('ada@coupon.example').map(({ raw }) => /Your code: ([\w-]+)/.exec(raw.toString())?.[1]),
      [code, code],
    );
    assert.equal(await left(owner), 1);
    const again = { ...request, effect_key: 'run_2:1', run_id: newId('run') };
    await neighbours.publish(SendEffectRequested, owner.accountId, again);
    await events.next(CampaignEffectCompleted, ({ data }) => data.effect_key === 'run_2:1');
    assert.equal(await left(owner), 0);
  });

  await t.test('a code that is not single use goes to all, and no code is handed out after the expiry', async () => {
    const owner = account(app);
    neighbours.contacts(owner.accountId, 3, (index) => ({ email: `shared${index}@coupon.example` }));
    const { data } = await pool(owner, { codes: ['SPRING10'], single_use: false });
    const id = await sendCampaign(owner, { html });
    await untilStatus(owner, id, 'sent');
    assert.ok((await ledger(owner, id)).every(({ status, coupon_code }) => status === 'sent' && coupon_code === 'SPRING10'));
    await owner.put(`/v2/campaigns/coupons/${data.id}`, { expires_at: '2020-01-01T00:00:00Z' });
    const draft = (await owner.post('/v2/campaigns', { ...smallest, html })).data.id;
    const { warnings } = (await owner.post(`/v2/campaigns/${draft}/send`)).data;
    assert.ok(warnings.some(({ code }: { code: string }) => code === 'coupon_expired'));
    await untilStatus(owner, draft, 'sent');
    assert.ok((await ledger(owner, draft)).every(({ reason, coupon_code }) => reason === 'coupon_expired' && coupon_code === null));
  });

  await t.test('a dry run and a send warn of too few codes, with the numbers', async () => {
    const owner = account(app);
    neighbours.contacts(owner.accountId, 1_200, (index) => ({ email: `many${index}@coupon.example` }));
    await pool(owner, { generate: { count: 300 } });
    const id = (await owner.post('/v2/campaigns', { ...smallest, html })).data.id;
    const ofCoupons = ({ code }: { code: string }) => code === 'coupon_codes_low';
    const dry = (await owner.post(`/v2/campaigns/${id}/dry-run`)).data;
    assert.match(dry.warnings.find(ofCoupons)?.message, /^1,200 recipients, 300 codes: add codes to the coupon spring/);
    const sent = (await owner.post(`/v2/campaigns/${id}/send`, { schedule_at: new Date(Date.now() + 3_600_000).toISOString() })).data;
    assert.match(sent.warnings.find(ofCoupons)?.message, /^At least [34]\d\d recipients, 300 codes/);
    const { items } = (await owner.get('/v2/campaigns/coupons')).data;
    assert.equal(items[0].codes_left, 300);
    const request = { account_id: owner.accountId, count: [items[0].name, 'unknown'] };
    const { counted } = await parts.broker.request(CampaignCoupons, request);
    assert.deepEqual(counted, [{ name: items[0].name, codes_left: 300, expires_at: null }]);
    assert.equal((await owner.delete(`/v2/campaigns/coupons/${items[0].id}`)).status, 409, 'a scheduled campaign needs it');
    await owner.post(`/v2/campaigns/${id}/unschedule`);
    await owner.post(`/v2/campaigns/coupons/${items[0].id}/generate`, { count: 900 });
    assert.ok(!(await owner.post(`/v2/campaigns/${id}/dry-run`)).data.warnings.some(ofCoupons));
  });
});

test('the ledger shows who bought, how often and for how much', async (t) => {
  const { app, parts, neighbours, sink } = await startSetting(t);
  const events = await listenToEvents(t);
  const owner = account(app);
  neighbours.contacts(owner.accountId, 4, (index) => ({ email: `buyer${index}@shop.example` }));
  const id = await sendCampaign(owner, { html: '<a href="https://shop.example/">Shop</a>' });
  await untilStatus(owner, id, 'sent');
  // Clicks just after an email was sent count as automated.
  const before = new Date(Date.now() - 60_000);
  await recipientsOf(parts.mongo.db).updateMany({ source_id: id }, { $set: { sent_at: before, handed_at: before } });
  const url = `/v2/campaigns/${id}/ledger`;
  const [first, second] = (await owner.get(url)).data.items;
  const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x64; rv:128.0) Gecko/20100101 Firefox/128.0' };
  const buy = async ({ contact_id, address }: { contact_id: string; address: string }, values: readonly [number, string][]) => {
    const [, link] = /href="http:\/\/mail\.test(\/t\/[^"]+)">Shop/.exec((await sink.mailTo(address))?.html ?? '') ?? [];
    await app.inject({ method: 'GET', url: link ?? '', headers: browser });
    for (const [amount, currency] of values)
      await neighbours.publish(EventTracked, owner.accountId, {
        ...{ event: 'bought', event_id: newId('event'), visitor_id: null, contact_id, properties: {}, bot: false },
        ...{ time: new Date(Date.now() + 1_000).toISOString(), value: { amount, currency } },
      });
  };
  await buy(first, [
    [20.5, 'EUR'],
    [9.5, 'EUR'],
    [3, 'USD'],
  ]);
  await buy(second, [[100, 'EUR']]);
  const buyers = await eventually(async () => {
    const { items } = (await owner.get(`${url}?engagement=converted`)).data;
    const sum = items.reduce((total: number, { conversions }: { conversions: number }) => total + conversions, 0);
    return sum === 4 && items;
  });
  assert.deepEqual(
    buyers.map(({ contact_id, conversions, revenue }: { contact_id: string; conversions: number; revenue: object[] }) => [
      ...[contact_id, conversions, revenue],
    ]),
    [
      [
        ...[first.contact_id, 3],
        [
          { currency: 'EUR', amount: 30 },
          { currency: 'USD', amount: 3 },
        ],
      ],
      [second.contact_id, 1, [{ currency: 'EUR', amount: 100 }]],
    ],
  );
  await events.next(MessageConverted, ({ data }) => data.contact_id === second.contact_id && data.value?.amount === 100);
  const lines: { revenue: string }[] = parse((await owner.get(`${url}/export?engagement=converted`)).text, { columns: true });
  assert.deepEqual(
    lines.map(({ revenue }) => revenue),
    ['30 EUR; 3 USD', '100 EUR'],
  );
});

test('the emails of a workflow are listed with their step, and those that led to orders with the revenue', async (t) => {
  const { app, parts, neighbours } = await startSetting(t);
  const owner = account(app);
  const events = await listenToEvents(t);
  const workflow_id = newId('workflow');
  const message = {
    ...{ subject: 'Hi', html: '<p>Hi</p>', from: { email: smallest.from.email, name: null }, preview_text: null },
    reply_to: null,
    text: null,
  };
  const people = ['ada', 'bo', 'cy'].map((name) => neighbours.contact(owner.accountId, { email: `${name}@steps.example` }));
  for (const [index, { id: contact_id }] of people.entries()) {
    const effect_key = `run_${index}:1`;
    await neighbours.publish(SendEffectRequested, owner.accountId, {
      ...{ effect_key, run_id: newId('run'), workflow_id, step_id: index === 0 ? 'reminder' : 'voucher', contact_id },
      message: { ...message, track: { opens: true, clicks: true } },
    });
    await events.next(CampaignEffectCompleted, ({ data }) => data.effect_key === effect_key);
  }
  const [ada] = people;
  await recipientsOf(parts.mongo.db).updateOne(
    { contact_id: ada?.id ?? newId('contact') },
    { $set: { conversions: { count: 2, revenue: { EUR: 4_950 } } } },
  );
  const url = `/v2/campaigns/messages/ledger?workflow_id=${workflow_id}`;
  const { items } = (await owner.get(url)).data;
  assert.deepEqual(
    items.map(({ step_id, address, status }: Record<string, unknown>) => [step_id, address, status]),
    [
      ['reminder', 'ada@steps.example', 'sent'],
      ['voucher', 'bo@steps.example', 'sent'],
      ['voucher', 'cy@steps.example', 'sent'],
    ],
  );
  const [first, ...others] = (await owner.get(`${url}&engagement=converted`)).data.items;
  assert.deepEqual([first.contact_id, first.workflow_id, first.conversions, others], [ada?.id, workflow_id, 2, []]);
  const csv = await owner.get(`/v2/campaigns/messages/ledger/export?workflow_id=${workflow_id}&engagement=converted`);
  const lines: Record<string, string>[] = parse(csv.text, { columns: true });
  assert.deepEqual(
    lines.map(({ step_id, conversions }) => [step_id, conversions]),
    [['reminder', '2']],
  );
  const unknown = await owner.get(`/v2/campaigns/messages/ledger/export?workflow_id=${encodeURIComponent('Iğdır"\r\n')}`);
  assert.deepEqual([unknown.status, unknown.text.trimEnd().split('\n').length], [200, 1], 'any text is only an unknown ID');
  const next = (await owner.get(`${url}&limit=1`)).data.pagination.next_cursor;
  assert.equal((await owner.get(`${url}&limit=2&cursor=${next}`)).data.items.length, 2);
  assert.deepEqual((await account(app).get(url)).data.items, [], 'of the own account only');
  assert.equal((await owner.get('/v2/campaigns/messages/ledger')).status, 400);
});
