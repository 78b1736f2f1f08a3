import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CampaignEffectCompleted, MessageSent } from '@mp/contracts/events/campaigns';
import { SendEffectRequested } from '@mp/contracts/events/workflows';
import { CampaignReport, CampaignTemplate, WorkflowEmails } from '@mp/contracts/requests/campaigns';
import { type CampaignId, newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { createCountersStore } from '../src/ledger/counters/counters-store.ts';
import { recipientsOf } from '../src/ledger/recipients/recipient-row.ts';
import { createRecount } from './recount.ts';
import { account, sendCampaign, startSetting, untilStatus } from './setting.ts';

type Step = { step_id: string; counts: { accepted: number; bounced: number } };

const none = { accepted: 0, opened: 0, clicked: 0, unsubscribed: 0, bounced: 0, converted: 0, conversions: 0, revenue: [] };

test('emails of workflows', async (t) => {
  const { app, parts, neighbours, sink } = await startSetting(t);
  const events = await listenToEvents(t);
  const owner = account(app);
  const { accountId } = owner;
  const message = {
    subject: 'Welcome {{ contact.first_name }}',
    preview_text: null,
    from: { email: 'news@example.com', name: null },
    reply_to: null,
    html: '<p>Hello</p>',
    text: null,
    track: { opens: false, clicks: true },
  };
  const workflow_id = newId('workflow');
  const requestEffect = async (contactId: string, effect_key: string, change: object = {}) => {
    const run_id = newId('run');
    const request = { effect_key, run_id, workflow_id, contact_id: contactId, message: { ...message, ...change } };
    await neighbours.publish(SendEffectRequested, accountId, request);
    return request;
  };
  const resultOf = async (key: string) => (await events.next(CampaignEffectCompleted, ({ data }) => data.effect_key === key)).data;

  await t.test('are sent once per key, however often they are requested, and report their result', async () => {
    const ada = neighbours.contact(accountId, { email: 'ada@example.com', first_name: 'Ada' });
    const [first] = await Promise.all([
      requestEffect(ada.id, 'run_1:1'),
      requestEffect(ada.id, 'run_1:1'),
      requestEffect(ada.id, 'run_1:1'),
    ]);
    const result = await resultOf('run_1:1');
    assert.deepEqual([result.status, result.reason], ['done', null]);
    const sent = await events.next(MessageSent, ({ data }) => data.contact_id === ada.id);
    assert.deepEqual(
      [sent.data.workflow_id, sent.data.campaign_id, sent.data.recipient_id, sent.data.effect_key],
      [first.workflow_id, null, result.recipient_id, 'run_1:1'],
    );
    await requestEffect(ada.id, 'run_1:2');
    await resultOf('run_1:2');
    assert.equal(sink.received.length, 2);
    assert.equal((await sink.mailTo('ada@example.com'))?.subject, 'Welcome Ada');
  });

  await t.test('report the reason if they cannot be sent, so that every run continues', async () => {
    sink.behave((address) =>
      address.startsWith('gone')
        ? { rcpt: 550, text: '5.1.1 gone' }
        : address.startsWith('drop')
          ? { drop: 'in_data', kept: false }
          : 'take',
    );
    const consent = { email: { status: 'unsubscribed' as const, at: '2026-01-01T00:00:00.000Z', method: 'api' as const }, sms: null };
    const cases = [
      [neighbours.contact(accountId, { email: 'bo@example.com', consent }).id, {}, /^unsubscribed$/],
      [neighbours.contact(accountId, { email: null }).id, {}, /^no_address$/],
      [newId('contact'), {}, /^deleted$/],
      [neighbours.contact(accountId, { email: 'cy@example.com' }).id, { html: '{% if %}' }, /^template_error$/],
      [neighbours.contact(accountId, { email: 'di@example.com' }).id, { from: { email: 'nobody', name: null } }, /from\.email/],
      [neighbours.contact(accountId, { email: 'gone@example.com' }).id, {}, /5\.1\.1 gone/],
      [neighbours.contact(accountId, { email: 'drop@example.com' }).id, {}, /^unknown/],
    ] as const;
    for (const [index, [contactId, change, reason]] of cases.entries()) {
      const key = `run_2:${index}`;
      await requestEffect(contactId, key, change);
      const result = await resultOf(key);
      assert.equal(result.status, 'refused');
      assert.match(result.reason ?? '', reason);
      if (result.reason === 'template_error') assert.match(result.detail ?? '', /\/html: /, 'the run has the template error');
    }
  });

  await t.test('take the current or the approved version of their template, with the subject of the step if it has one', async () => {
    sink.behave(() => 'take');
    const template = async (body: object) =>
      String((await owner.post('/v2/campaigns/templates', { name: newId('template'), html: '<p>Old</p>', ...body })).data.id);
    const named = await template({ subject: 'From the template' });
    const nameless = await template({});
    await owner.put(`/v2/campaigns/templates/${named}`, { html: '<p>New</p>' });
    await owner.put(`/v2/campaigns/templates/${nameless}`, { html: '<p>Not approved</p>' });
    const request = (template_id: string, more: object = {}) => ({ template_id, subject: null, html: null, ...more });
    for (const [index, [email, change, subject]] of (
      [
        ['t1@example.com', request(named), 'From the template'],
        ['t2@example.com', request(nameless, { subject: 'Of the step', template_version: 1 }), 'Of the step'],
      ] as const
    ).entries()) {
      const { id } = neighbours.contact(accountId, { email });
      await requestEffect(id, `run_3:${index}`, change);
      assert.equal((await resultOf(`run_3:${index}`)).status, 'done');
      const received = await sink.mailTo(email);
      assert.equal(received?.subject, subject);
      assert.match(String(received?.html), index === 0 ? /<p>New<\/p>/ : /<p>Old<\/p>/);
    }
    const { id } = neighbours.contact(accountId, { email: 't3@example.com' });
    for (const [key, change, why] of [
      ['run_4:1', request(newId('template')), /no longer exists/],
      ['run_4:2', request(nameless), /subject/],
    ] as const) {
      await requestEffect(id, key, change);
      const { status, reason, detail } = await resultOf(key);
      assert.deepEqual([status, reason], ['refused', 'template_error']);
      assert.match(detail ?? '', why);
    }
    const reply = (template_id: string) => parts.broker.request(CampaignTemplate, { account_id: accountId, template_id });
    const content = { subject: 'From the template', preview_text: null, html: '<p>New</p>', text: null };
    assert.deepEqual(await reply(named), { template: { version: 2, content } });
    assert.deepEqual(await reply(newId('template')), { template: null });
  });

  await t.test('need no consent and have no unsubscribe link if they are transactional', async () => {
    const consent = { email: { status: 'unsubscribed' as const, at: '2026-01-01T00:00:00.000Z', method: 'api' as const }, sms: null };
    const { id } = neighbours.contact(accountId, { email: 'receipt@example.com', consent });
    const request = { effect_key: 'run_5:1', run_id: newId('run'), workflow_id, contact_id: id, message };
    await neighbours.publish(SendEffectRequested, accountId, { ...request, category: 'transactional' });
    assert.equal((await resultOf('run_5:1')).status, 'done');
    const received = await sink.mailTo('receipt@example.com');
    assert.ok(received);
    assert.deepEqual(
      received.headers.filter(({ key }) => key === 'list-unsubscribe'),
      [],
    );
  });

  await t.test('contain the data of the run and what its webhooks captured', async () => {
    const { id } = neighbours.contact(accountId, { email: 'scored@example.com' });
    const html = '<p>{{ data.plan }} {{ responses.score.value }} {{ responses.score.none }} {{ responses.other.value }}</p>';
    const request = { effect_key: 'run_6:1', run_id: newId('run'), workflow_id, contact_id: id };
    await neighbours.publish(SendEffectRequested, accountId, {
      ...request,
      message: { ...message, subject: 'Score {{ responses.score.value }}', html },
      data: { plan: 'pro' },
      responses: { score: { value: '<b>70</b>' } },
    });
    assert.equal((await resultOf('run_6:1')).status, 'done');
    const received = await sink.mailTo('scored@example.com');
    assert.equal(received?.subject, 'Score <b>70</b>');
    assert.match(String(received?.html), /<p>pro &lt;b&gt;70&lt;\/b&gt; {2}<\/p>/);
  });

  await t.test('are sent whatever field names and depth the data and responses of the run have', async () => {
    const { id } = neighbours.contact(accountId, { email: 'odd@example.com' });
    const odd = { $set: { 'a.b': 1 }, 'nul\0': JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`) };
    await neighbours.publish(SendEffectRequested, accountId, {
      ...{ effect_key: 'run_8:1', run_id: newId('run'), workflow_id, contact_id: id, data: { plan: 'pro', odd } },
      message: { ...message, html: '<p>{{ data.plan }} {{ responses.score.value }}</p>' },
      responses: { score: { value: 70, odd } },
    });
    assert.equal((await resultOf('run_8:1')).status, 'done');
    assert.match(String((await sink.mailTo('odd@example.com'))?.html), /<p>pro 70<\/p>/);
  });

  await t.test('that the frequency cap forbids report when it allows the next one', async () => {
    const capped = account(app);
    const { id } = neighbours.contact(capped.accountId, { email: 'often@example.com' });
    await capped.put('/v2/campaigns/settings', { frequency_cap: { max_emails: 2, days: 3 } });
    const request = (effect_key: string) =>
      neighbours.publish(SendEffectRequested, capped.accountId, { effect_key, run_id: newId('run'), workflow_id, contact_id: id, message });
    for (const key of ['run_7:1', 'run_7:2']) {
      await request(key);
      assert.equal((await resultOf(key)).status, 'done');
    }
    const first = await recipientsOf(parts.mongo.db).findOne({ source_key: 'run_7:1' });
    await request('run_7:3');
    const { status, reason, retry_at } = await resultOf('run_7:3');
    assert.deepEqual([status, reason], ['refused', 'frequency_cap']);
    assert.equal(Date.parse(retry_at ?? ''), Number(first?.handed_at) + 3 * 86_400_000 + 1, 'when the window no longer has the first');
  });

  await t.test('are counted for their workflow, its steps and their template', async () => {
    const own = account(app);
    sink.behave((address) => (address.startsWith('gone') ? { rcpt: 550, text: '5.1.1 gone' } : 'take'));
    const workflowId = newId('workflow');
    const first = neighbours.contact(own.accountId, { email: 'one@example.com' });
    const second = neighbours.contact(own.accountId, { email: 'gone2@example.com' });
    const template = (await own.post('/v2/campaigns/templates', { name: 'Hello', subject: 'Hi', html: '<p>Hi</p>' })).data.id;
    const ofTemplate = { html: null, subject: null, template_id: template };
    const requests = [
      [first.id, 'hello', {}, 'Long. one'],
      [second.id, 'hello', {}, 'B'],
      [first.id, 'reminder', ofTemplate, undefined],
    ] as const;
    for (const [index, [contact_id, step_id, change, variant]] of requests.entries()) {
      const effect_key = `${workflowId}:${index}`;
      const request = {
        effect_key,
        run_id: newId('run'),
        workflow_id: workflowId,
        step_id,
        ...(variant !== undefined && { variant }),
        contact_id,
        message: { ...message, ...change },
      };
      await neighbours.publish(SendEffectRequested, own.accountId, request);
      await resultOf(effect_key);
    }
    const request = { template_id: template, from: { email: 'news@example.com' }, to: { contact_id: first.id }, category: 'transactional' };
    const requested = await own.post('/v2/campaigns/messages', request);
    assert.equal(requested.status, 202, requested.text);
    const campaign = await sendCampaign(own, { template_id: template, html: undefined });
    await untilStatus(own, campaign, 'sent');
    const draft = await own.post(`/v2/campaigns/${campaign}/duplicate`, {});
    assert.equal(draft.data.template_id, template);

    const analytics = async (query: string) => (await own.get(`/v2/campaigns/messages/analytics${query}`)).data;
    const { workflow_id: of, counts, rates, conversion, steps } = await analytics(`?workflow_id=${workflowId}`);
    assert.deepEqual([of, counts.attempted, counts.accepted, rates.bounce.value], [workflowId, 3, 2, 1 / 3]);
    assert.deepEqual(conversion, { event: null, window_days: 7, model: 'last_click' });
    assert.deepEqual(
      steps.map((step: Step) => [step.step_id, step.counts.accepted, step.counts.bounced]),
      [
        ['hello', 1, 1],
        ['reminder', 1, 0],
      ],
    );
    const figures = (emails: object) => ({ ...none, ...emails });
    const [ofHello, ofReminder] = steps;
    assert.deepEqual(
      ofHello.variants.map(({ name, counts: of }: { name: string; counts: { accepted: number } }) => [name, of.accepted]).sort(),
      [
        ['B', 0],
        ['Long. one', 1],
      ],
    );
    assert.deepEqual(ofReminder.variants, []);
    const reply = await parts.broker.request(WorkflowEmails, { account_id: own.accountId, workflow_id: workflowId });
    assert.deepEqual([reply.emails, reply.steps[0]?.emails], [figures({ accepted: 2, bounced: 1 }), figures({ accepted: 1, bounced: 1 })]);
    assert.deepEqual(new Map(reply.steps[0]?.variants.map((one) => [one.name, one.emails])).get('Long. one'), figures({ accepted: 1 }));
    const ledger = (await own.get(`/v2/campaigns/messages/ledger?workflow_id=${workflowId}`)).data.items;
    assert.deepEqual(
      ledger.map(({ variant }: { variant: string | null }) => variant),
      ['Long. one', 'B', null],
    );
    assert.deepEqual(
      await createRecount(parts.mongo.db).recountBy(workflowId, 'step_variant'),
      Object.fromEntries(
        await parts.mongo.transaction({ correlationId: 'test', causationId: null }, async (tx) =>
          (await createCountersStore(parts.mongo).read(tx, own.accountId, workflowId, 'step_variant')).breakdown.map(
            ({ key, counts: of }) => [key, of],
          ),
        ),
      ),
      'the counters are those of the ledger',
    );
    const reportOf = (id: CampaignId) => parts.broker.request(CampaignReport, { account_id: own.accountId, campaign_id: id });
    const { report } = await reportOf(campaign);
    const { data: shown } = await own.get(`/v2/campaigns/${campaign}/analytics`);
    assert.deepEqual(
      [report?.status, report?.recipients, report?.emails.accepted],
      ['sent', shown.counts.recipients, shown.counts.accepted],
    );
    assert.equal((await reportOf(newId('campaign'))).report, null);
    assert.equal((await parts.broker.request(CampaignReport, { account_id: accountId, campaign_id: campaign })).report, null);
    const messages = await eventually(async () => {
      const found = await analytics('');
      return found.counts.accepted === 1 && found;
    });
    assert.equal(messages.workflow_id, null);
    const { data } = await own.get(`/v2/campaigns/templates/${template}/analytics`);
    assert.deepEqual(
      [data.campaigns, data.truncated, data.counts.accepted, data.counts.skipped],
      [1, false, 3, 1],
      'drafts are not counted',
    );
    assert.equal((await analytics(`?workflow_id=${newId('workflow')}`)).counts.attempted, 0);
  });

  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: () => '/v2/campaigns/messages/analytics' });
  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'campaigns:read',
    url: async (client) => {
      const { data } = await client.post('/v2/campaigns/templates', { name: 'News', html: '<p>Hi</p>' });
      return `/v2/campaigns/templates/${data.id}/analytics`;
    },
  });

  await t.test('share one stored content if they are equal', async () => {
    assert.ok((await parts.mongo.db.collection('contents').countDocuments({ account_id: accountId })) <= 7);
  });
});
