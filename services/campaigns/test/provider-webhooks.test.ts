import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressRejected, MessageBounced, MessageComplained, MessageDelivered } from '@mp/contracts/events/campaigns';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { writtenEvents } from '@mp/test-kit/written-events';
import * as fixtures from './provider-fixtures.ts';
import { reconciliation, sendCampaign, startSetting, untilStatus } from './setting.ts';

const path = '/v2/campaigns/providers';
const bodies = {
  ses: { name: 'SES', kind: 'ses', topic_arn: fixtures.topicArn },
  sendgrid: { name: 'SendGrid', kind: 'sendgrid', public_key: fixtures.sendgridKey },
  postmark: { name: 'Postmark', kind: 'postmark', basic_auth: fixtures.basicAuth },
  mailgun: { name: 'Mailgun', kind: 'mailgun', signing_key: fixtures.mailgunKey },
};
const webhookOf = { ses: fixtures.ses, sendgrid: fixtures.sendgrid, postmark: fixtures.postmark, mailgun: fixtures.mailgun };
const kinds = ['ses', 'sendgrid', 'postmark', 'mailgun'] as const;

test('provider webhooks', async (t) => {
  const gotten: string[] = [];
  const getFromSns = async (url: string) => {
    gotten.push(url);
    return fixtures.snsCertificate;
  };
  const { app, neighbours, parts } = await startSetting(t, { getFromSns });
  const post = (url: string, { body, headers }: fixtures.Request) =>
    app.inject({ method: 'POST', url: new URL(url).pathname, payload: body, headers });
  const eventsOf = async (account: Client) =>
    (await writtenEvents(parts.mongo.db, {})).filter(({ envelope }) => envelope.account_id === account.accountId);

  /** An account with a campaign sent to three contacts. */
  async function sent(kind: keyof typeof bodies) {
    const account = testClient(app);
    const contacts = neighbours.contacts(account.accountId, 3, (index) => ({ email: `${kind}${index}@example.com` }));
    const id = await sendCampaign(account);
    await untilStatus(account, id, 'sent');
    const { items } = (await account.get(`/v2/campaigns/${id}/ledger`)).data;
    const { status, data: provider } = await account.post(path, bodies[kind]);
    assert.equal(status, 201);
    const report = (index: number, what: fixtures.Kind, reportId = `${kind}-${index}-${what}`, at = new Date()) => ({
      ...{ kind: what, messageId: items[index].message_id, recipientId: items[index].id, id: reportId, at },
    });
    return { account, contacts, id, url: provider.webhook_url, provider, report };
  }

  for (const kind of kinds) {
    await t.test(`${kind}: reports settle the ledger once, suppress, and keep its sum`, async () => {
      const { account, contacts, id, url, report } = await sent(kind);
      for (const _ of [1, 2]) {
        for (const [index, what] of (['delivered', 'bounced', 'complained'] as const).entries()) {
          const response = await post(url, webhookOf[kind](report(index, what)));
          assert.equal(response.statusCode, 200, response.payload);
        }
      }
      const { states, reconciles } = await reconciliation(account, id);
      assert.deepEqual([states.delivered, states.bounced, states.complained, states.sent, reconciles], [1, 1, 1, 0, true]);
      const types = (await eventsOf(account)).map(({ envelope }) => envelope.type);
      const count = (type: string) => types.filter((one) => one === type).length;
      assert.deepEqual([count(MessageDelivered.type), count(MessageBounced.type), count(MessageComplained.type)], [2, 1, 1]);
      const next = await sendCampaign(account);
      const finished = (await untilStatus(account, next, 'sent')).id;
      const ledger = (await account.get(`/v2/campaigns/${finished}/ledger`)).data.items;
      const reasons = ledger.map(({ contact_id, reason }: { contact_id: string; reason: string | null }) => [
        contacts.findIndex((contact) => contact.id === contact_id),
        reason,
      ]);
      assert.equal(reasons.filter(([, reason]: [number, string | null]) => reason === 'bounced_before').length, 1);
      assert.equal(reasons.filter(([, reason]: [number, string | null]) => reason === 'suppressed').length, 1);
    });

    await t.test(`${kind}: an email fails when the provider gives up, and not by a delay or an automatic reply`, async () => {
      const { account, id, url, report } = await sent(kind);
      for (const [index, what] of (['temporary', 'gave_up'] as const).entries())
        assert.equal((await post(url, webhookOf[kind](report(index, what)))).statusCode, 200);
      const { states, reconciles } = await reconciliation(account, id);
      assert.deepEqual([states.sent, states.failed, reconciles], [2, 1, true]);
      const events = await eventsOf(account);
      const bounces = events.filter(({ envelope }) => envelope.type === MessageBounced.type);
      assert.deepEqual(
        bounces.map(({ envelope }) => envelope.data.hard),
        [false],
      );
      assert.ok(!events.some(({ envelope }) => envelope.type === AddressRejected.type));
    });

    await t.test(`${kind}: wrong signatures and old reports are rejected, and other accounts' emails are not touched`, async () => {
      const { account, id, url, report } = await sent(kind);
      const good = webhookOf[kind](report(0, 'bounced'));
      const forged =
        kind === 'postmark'
          ? [{ ...good, headers: { ...good.headers, authorization: 'Basic eDp5' } }]
          : [
              { ...good, body: good.body.replace(/"(timestamp|Timestamp)":\s*"?\d/, (found) => `${found}9`) },
              { ...good, body: '{}' },
              webhookOf[kind](report(0, 'bounced'), new Date(Date.now() - 25 * 3_600_000)),
              webhookOf[kind](report(0, 'bounced'), new Date(Date.now() + 3_600_000)),
            ];
      for (const request of forged) assert.equal((await post(url, request)).statusCode, 403, request.body);
      assert.equal((await post(`${url}A`, good)).statusCode, 404);
      const other = await sent(kind);
      assert.equal((await post(other.url, good)).statusCode, 200);
      assert.equal((await reconciliation(account, id)).states.sent, 3);
      await account.delete(`${path}/${(await account.get(path)).data.items[0].id}`);
      assert.equal((await post(url, good)).statusCode, 404);
    });
  }

  await t.test('SNS: only certificates of Amazon are used, and a subscription is confirmed', async () => {
    const { url, report } = await sent('ses');
    const message = { MessageId: 'x', Message: JSON.stringify({ notificationType: 'Delivery', mail: {} }) };
    for (const host of ['https://sns.eu-west-1.amazonaws.com.example.com', 'http://sns.eu-west-1.amazonaws.com', 'https://evil.example']) {
      const forged = fixtures.sns(message, `${host}/SimpleNotificationService-0123456789abcdef.pem`);
      assert.equal((await post(url, forged)).statusCode, 403);
    }
    const topic = { ...message, TopicArn: `${fixtures.topicArn}-other` };
    assert.equal((await post(url, fixtures.sns(topic))).statusCode, 403);
    const SubscribeURL = `https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${fixtures.topicArn}&Token=abc`;
    const confirmation = { Type: 'SubscriptionConfirmation', Token: 'abc', SubscribeURL, Message: 'You have chosen to subscribe.' };
    assert.equal((await post(url, fixtures.sns(confirmation))).statusCode, 200);
    assert.ok(gotten.includes(SubscribeURL));
    const evil = { ...confirmation, SubscribeURL: 'https://evil.example/?Action=ConfirmSubscription&Token=abc' };
    await post(url, fixtures.sns(evil));
    assert.ok(gotten.every((one) => one.startsWith('https://sns.eu-west-1.amazonaws.com/')));
    assert.equal((await post(url, fixtures.ses(report(0, 'delivered')))).statusCode, 200);
  });

  await t.test('a hard bounce of an address without a contact is published by its hash', async () => {
    const { account, url, provider } = await sent('sendgrid');
    const from = { email: 'shop@example.com' };
    const content = { subject: 'Hi', text: 'Hi' };
    const { data } = await account.post('/v2/campaigns/messages', { from, content, to: { email: 'nobody@example.com' } });
    const message = async () => (await account.get(`/v2/campaigns/messages/${data.id}`)).data;
    await eventually(async () => (await message()).state === 'sent');
    const { message_id: messageId } = await message();
    const report = { kind: 'bounced' as const, messageId, recipientId: data.id, id: 'nobody', at: new Date() };
    assert.equal((await post(url, fixtures.sendgrid(report))).statusCode, 200);
    assert.deepEqual([(await message()).state, (await message()).reason], ['bounced', 'bad_address']);
    const rejected = (await eventsOf(account)).filter(({ envelope }) => envelope.type === AddressRejected.type);
    assert.equal(rejected.length, 1);
    assert.ok(!JSON.stringify(provider).includes('secret'));
  });

  await t.test('a provider needs the key of its kind, and no other', async () => {
    const account = testClient(app);
    const wrong: [object, string][] = [
      [{ name: 'a', kind: 'ses' }, '/topic_arn'],
      [{ ...bodies.mailgun, public_key: 'AAAA' }, '/public_key'],
      [{ ...bodies.postmark, basic_auth: { username: 'a', password: 'short' } }, '/basic_auth/password'],
    ];
    for (const [body, at] of wrong) {
      const { status, error } = await account.post(path, body);
      assert.deepEqual([status, error.details[0].path], [400, at]);
    }
    assert.doesNotMatch((await account.post(path, bodies.mailgun)).text, new RegExp(fixtures.mailgunKey));
  });

  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: () => path });
  await guaranteeRoute(t, app, { method: 'POST', scope: 'campaigns:write', url: () => path, body: bodies.mailgun });
  const one = async (client: Client) => `${path}/${(await client.post(path, bodies.ses)).data.id}`;
  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: one });
  await guaranteeRoute(t, app, { method: 'DELETE', scope: 'campaigns:write', url: one });
});
