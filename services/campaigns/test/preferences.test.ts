import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageDelivered, MessageResubscribed, MessageTopicsChanged, MessageUnsubscribed } from '@mp/contracts/events/campaigns';
import { PageLanguage } from '@mp/contracts/page-language';
import { eventually } from '@mp/test-kit/eventually';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { writtenEvents } from '@mp/test-kit/written-events';
import { createContactablesStore } from '../src/audience/contactables/contactables-store.ts';
import { textsFor } from '../src/engagement/preference-texts.ts';
import { createAssumeDelivered } from '../src/ledger/recipients/assume-delivered.ts';
import { recipientsOf } from '../src/ledger/recipients/recipient-row.ts';
import { createSettingsStore } from '../src/settings/settings-store.ts';
import { account, read, reconciliation, sendCampaign, smallest, startSetting, untilStatus } from './setting.ts';

const form = { 'content-type': 'application/x-www-form-urlencoded' };

test('preferences and settings', async (t) => {
  const { app, parts, neighbours, sink } = await startSetting(t);
  const settle = createAssumeDelivered({
    mongo: parts.mongo,
    settings: createSettingsStore(parts.mongo.db),
    outbox: parts.outbox,
    logger: parts.logger,
  });
  const topics = [
    { id: 'news', name: 'News & <offers>' },
    { id: 'events', name: 'Events' },
  ];

  /** An account whose only contact got an email of this campaign, and the path of its unsubscribe link. */
  async function emailed(email: string, body: object = {}, members: object = {}) {
    const owner = account(app);
    await owner.put('/v2/campaigns/settings', { topics });
    const contact = neighbours.contact(owner.accountId, { email, ...members });
    const id = await sendCampaign(owner, body);
    await untilStatus(owner, id, 'sent');
    const mail = await sink.mailTo(email);
    const header = mail?.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
    const path = /http:\/\/mail\.test(\/t\/[\w.-]+)/.exec(header)?.[1] ?? '';
    const events = async (subject: string) =>
      (await writtenEvents(parts.mongo.db, { accountId: owner.accountId }))
        .filter((event) => event.subject === subject)
        .map(({ envelope }) => envelope.data);
    const page = async (headers: Record<string, string> = {}) => (await app.inject({ method: 'GET', url: path, headers })).payload;
    const post = (payload: string) => app.inject({ method: 'POST', url: path, payload, headers: form });
    return { owner, contact, id, path, events, page, post };
  }

  const stateOf = async (owner: ReturnType<typeof account>, id: string) => (await owner.get(`/v2/campaigns/${id}/ledger`)).data.items[0];

  await t.test('the page shows the topics in the language of the contact and stores what was chosen, at once', async () => {
    const { owner, events, page, post } = await emailed('ada@pref.example', { topic: 'news' }, { locale: 'de-DE' });
    const before = await page({ 'accept-language': 'fr' });
    assert.match(before, /<html lang="de">/);
    assert.match(before, /value="news" checked> News &amp; &lt;offers&gt;/);
    assert.doesNotMatch(before, /<script/);
    const saved = await post('action=save&topic=events&topic=unknown');
    assert.match(saved.payload, /role="status"/);
    assert.match(saved.payload, /value="news">.*value="events" checked>/s);
    const [changed, ...none] = await events(MessageTopicsChanged.subject);
    assert.deepEqual([changed?.topics, none.length], [[{ topic: 'news', status: 'unsubscribed' }], 0]);
    const about = await sendCampaign(owner, { topic: 'news' });
    await untilStatus(owner, about, 'sent');
    assert.equal((await stateOf(owner, about)).reason, 'unsubscribed_topic');
    const other = await sendCampaign(owner, { topic: 'events' });
    await untilStatus(owner, other, 'sent');
    assert.equal((await stateOf(owner, other)).state, 'sent');
    await post('action=save&topic=events&topic=news');
    const again = await sendCampaign(owner, { topic: 'news' });
    await untilStatus(owner, again, 'sent');
    assert.equal((await stateOf(owner, again)).state, 'sent');
  });

  await t.test('one click unsubscribes from the topic of the campaign, or without one from everything; so does the button', async () => {
    const topic = await emailed('bo@pref.example', { topic: 'news' });
    assert.equal((await topic.post('List-Unsubscribe=One-Click')).statusCode, 200);
    assert.deepEqual(
      [(await topic.events(MessageTopicsChanged.subject)).length, (await topic.events(MessageUnsubscribed.subject)).length],
      [1, 0],
    );
    assert.match((await topic.post('action=unsubscribe')).payload, /You are unsubscribed/);
    assert.equal((await topic.events(MessageUnsubscribed.subject)).length, 1);
    const none = await emailed('cy@pref.example');
    const field = 'Content-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click';
    const multipart = await app.inject({
      ...{ method: 'POST', url: none.path, payload: `--part\r\n${field}\r\n--part--\r\n` },
      headers: { 'content-type': 'multipart/form-data; boundary=part' },
    });
    assert.equal(multipart.statusCode, 200);
    assert.equal((await none.events(MessageUnsubscribed.subject)).length, 1);
  });

  await t.test('a contact that unsubscribed from all can subscribe again there, in each language, and unsubscribe again', async () => {
    const { owner, contact, events, page, post } = await emailed('gi@pref.example');
    const counts = async () =>
      Promise.all([MessageUnsubscribed, MessageResubscribed].map(async ({ subject }) => (await events(subject)).length));
    await post('action=resubscribe');
    assert.deepEqual(await counts(), [0, 0], 'nobody can consent who has not unsubscribed');
    const left = (await post('action=unsubscribe')).payload;
    assert.match(left, /<form method="post"><input type="hidden" name="action" value="resubscribe">/);
    for (const language of PageLanguage.options) {
      const { texts } = textsFor(language);
      const shown = await page({ 'accept-language': language });
      for (const text of [texts.unsubscribed, texts.resubscribeHint, texts.resubscribe]) assert.ok(shown.includes(text), text);
    }
    assert.deepEqual(await counts(), [1, 0], 'opening the page changes nothing');
    const twice = await Promise.all([post('action=resubscribe'), post('action=resubscribe')]);
    for (const { payload } of twice) assert.match(payload, /role="status">You are subscribed again\./);
    const [{ text, evidence, at }] = (await events(MessageResubscribed.subject)) as Record<string, string>[] as [Record<string, string>];
    assert.match(`${evidence}: ${text}`, /^preferences in message recipient_\w+: You can change your mind.* Subscribe again$/);
    assert.match(await page(), /value="unsubscribe"/);
    const next = await sendCampaign(owner);
    await untilStatus(owner, next, 'sent');
    assert.equal((await stateOf(owner, next)).state, 'sent', 'at once');
    // The consent of the first choice arrives only now.
    const earlier = { status: 'unsubscribed' as const, method: 'link' as const, at: new Date(Date.parse(at ?? '') - 1).toISOString() };
    const known = await neighbours.change(owner.accountId, contact, { consent: { ...contact.consent, email: earlier } });
    const contactables = createContactablesStore(parts.mongo.db);
    await eventually(async () => (await contactables.find(owner.accountId, [contact.id])).get(contact.id)?.revision === known.revision);
    assert.match(await page(), /value="unsubscribe"/);
    assert.match((await post('action=unsubscribe')).payload, /You are unsubscribed/);
    assert.deepEqual(await counts(), [2, 1]);
    const last = await sendCampaign(owner);
    await untilStatus(owner, last, 'sent');
    assert.equal((await stateOf(owner, last)).reason, 'unsubscribed');
    // Subscribed elsewhere later, such as by a form of the website.
    const later = { status: 'subscribed' as const, method: 'form' as const, at: new Date().toISOString() };
    const again = await neighbours.change(owner.accountId, known, { consent: { ...known.consent, email: later } });
    await eventually(async () => (await contactables.find(owner.accountId, [contact.id])).get(contact.id)?.revision === again.revision);
    await post('action=unsubscribe');
    assert.deepEqual(await counts(), [3, 1]);
  });

  await t.test('an email without a bounce counts as delivered after the time that the account chose', async () => {
    const { owner, id, events } = await emailed('di@pref.example');
    const never = await emailed('ed@pref.example');
    await never.owner.put('/v2/campaigns/settings', { delivered_after_hours: null });
    const long = new Date(Date.now() - 23 * 3_600_000);
    await recipientsOf(parts.mongo.db).updateMany({ source_id: { $in: [id, never.id] } }, { $set: { sent_at: long } });
    await settle.settleDue();
    assert.equal((await stateOf(owner, id)).state, 'sent');
    await settle.settleDue(new Date(Date.now() + 3_600_000));
    const { state, reason } = await stateOf(owner, id);
    assert.deepEqual([state, reason, (await events(MessageDelivered.subject)).length], ['delivered', 'no_bounce', 1]);
    assert.equal((await stateOf(never.owner, never.id)).state, 'sent');
    const { counts, delivered_after_hours } = (await owner.get(`/v2/campaigns/${id}/analytics`)).data;
    assert.deepEqual([counts.delivered, counts.sent, delivered_after_hours], [1, 0, 24]);
  });

  await t.test('the frequency cap skips emails, quiet hours delay them, and the ledger adds up', async () => {
    const { owner, contact } = await emailed('fi@pref.example');
    await owner.put('/v2/campaigns/settings', { frequency_cap: { max_emails: 1, days: 7 } });
    const planned = (await owner.post('/v2/campaigns', smallest)).data.id;
    const { skipped } = (await owner.post(`/v2/campaigns/${planned}/dry-run`)).data;
    assert.ok(
      skipped.some(({ reason }: { reason: string }) => reason === 'frequency_cap'),
      'a dry run says so before',
    );
    const capped = await sendCampaign(owner);
    await untilStatus(owner, capped, 'sent');
    assert.equal((await stateOf(owner, capped)).reason, 'frequency_cap');
    const clock = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
    const quiet_hours = { from: clock(-2), to: clock(2), timezone: 'UTC' };
    await owner.put('/v2/campaigns/settings', { frequency_cap: null, quiet_hours });
    const quiet = await sendCampaign(owner);
    await untilStatus(owner, quiet, 'sending');
    const row = () => recipientsOf(parts.mongo.db).findOne({ source_id: quiet, contact_id: contact.id });
    let due = 0;
    while (due < Date.now() + 3_600_000) due = (await row())?.due_at?.getTime() ?? 0;
    assert.deepEqual([(await read(owner, quiet)).status, (await reconciliation(owner, quiet)).reconciles], ['sending', true]);
    const message = {
      from: { email: 'shop@example.com' },
      to: { contact_id: contact.id },
      content: { subject: 'Receipt', text: 'Thanks' },
    };
    assert.equal((await owner.post('/v2/campaigns/messages', message)).status, 202);
  });

  await t.test('the default sender is kept until it is cleared', async () => {
    const owner = account(app);
    const sender = async () => (await owner.get('/v2/campaigns/settings')).data.default_sender;
    assert.equal(await sender(), null);
    const { data } = await owner.put('/v2/campaigns/settings', { default_sender: { email: ' news@example.com ', name: 'News' } });
    assert.deepEqual(data.default_sender, { email: 'news@example.com', name: 'News', reply_to: null });
    await owner.put('/v2/campaigns/settings', { topics });
    assert.deepEqual(await sender(), data.default_sender);
    assert.equal((await owner.put('/v2/campaigns/settings', { default_sender: data.default_sender })).status, 200);
    await owner.put('/v2/campaigns/settings', { default_sender: null });
    assert.equal(await sender(), null);
  });

  await t.test('settings are checked', async () => {
    const owner = account(app);
    for (const body of [
      { quiet_hours: { from: '21:00', to: '21:00', timezone: 'UTC' } },
      { quiet_hours: { from: '9pm', to: '08:00', timezone: 'UTC' } },
      { quiet_hours: { from: '21:00', to: '08:00', timezone: 'Mars/Base' } },
      { frequency_cap: { max_emails: 0, days: 1 } },
      { topics: [topics[0], topics[0]] },
      { default_sender: { email: 'nobody' } },
    ])
      assert.equal((await owner.put('/v2/campaigns/settings', body)).error?.code, 'VALIDATION_ERROR', JSON.stringify(body));
  });

  for (const method of ['GET', 'PUT'] as const)
    await guaranteeRoute(t, app, {
      ...{ method, scope: method === 'GET' ? 'campaigns:read' : 'campaigns:write', url: () => '/v2/campaigns/settings' },
      ...(method === 'PUT' && { body: { delivered_after_hours: 48 } }),
    });
});

test('the preference page has ten languages, each complete, and falls back to the browser and to English', () => {
  assert.equal(PageLanguage.options.length, 10);
  for (const language of PageLanguage.options) assert.ok(Object.values(textsFor(language).texts).every((text) => text.length > 0));
  assert.equal(textsFor(null, 'fr-CH, fr;q=0.9').language, 'fr');
  assert.equal(textsFor('ja-JP', 'fr').language, 'ja');
  assert.equal(textsFor('xx', 'yy').language, 'en');
});
