import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { MarketingPlatform, verifyWebhook, WebhookVerificationError } from './sdk.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const event = { id: 'event_1', type: 'contact.created', data: { first_name: 'Zoë' } };
const body = JSON.stringify(event);

/** The headers of a delivery, signed by the reference implementation. */
function signed(secret: string, { at = new Date(), text = body } = {}) {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, text),
  };
}

test('a delivery signed by the reference implementation is verified, from text or bytes, from Headers or a record', async () => {
  const secret = newSecret();
  const headers = signed(secret);
  assert.deepEqual(await verifyWebhook(body, headers, secret), event);
  assert.deepEqual(await verifyWebhook(new TextEncoder().encode(body), new Headers(headers), secret), event);
  const mp = new MarketingPlatform({ apiKey: 'mp_live_x', baseUrl: 'https://mp.example.com' });
  const inCapitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
  assert.deepEqual(await mp.webhooks.verify(body, inCapitals, secret), event);
});

test('the events of a batch and a single event are both returned as a list', async () => {
  const secret = newSecret();
  const { webhooks } = new MarketingPlatform({ apiKey: 'mp_live_x', baseUrl: 'https://mp.example.com' });
  const batch = JSON.stringify({ id: 'batch_1', type: 'batch', events: [event, event] });
  assert.deepEqual(await webhooks.verifyBatch(batch, signed(secret, { text: batch }), secret), [event, event]);
  assert.deepEqual(await webhooks.verifyBatch(body, signed(secret), secret), [event]);
  await assert.rejects(webhooks.verifyBatch(batch, signed(secret), secret), WebhookVerificationError);
});

test('while a secret rotates, either secret and either signature is enough', async () => {
  const [old, current] = [newSecret(), newSecret()];
  assert.deepEqual(await verifyWebhook(body, signed(old), [current, old]), event);
  const both = `${signed(old)['webhook-signature']} ${signed(current)['webhook-signature']}`;
  assert.deepEqual(await verifyWebhook(body, { ...signed(old), 'webhook-signature': both }, current), event);
});

test('a changed body, another or malformed secret, an old or future timestamp, and missing or malformed headers are rejected', async () => {
  const secret = newSecret();
  const headers = signed(secret);
  const minutes = (count: number) => new Date(Date.now() + count * 60_000);
  const bad: [string, Record<string, string>, string, RegExp][] = [
    [body.replace('Zoë', 'Zoe'), headers, secret, /does not match/],
    [body, headers, newSecret(), /does not match/],
    [body, { ...headers, 'webhook-id': 'msg_2' }, secret, /does not match/],
    [body, { ...headers, 'webhook-signature': 'v1,not base64!' }, secret, /does not match/],
    [body, { ...headers, 'webhook-signature': 'v2,abc' }, secret, /does not match/],
    [body, signed(secret, { at: minutes(-6) }), secret, /300 s are allowed/],
    [body, signed(secret, { at: minutes(6) }), secret, /300 s are allowed/],
    [body, { ...headers, 'webhook-timestamp': 'now' }, secret, /not a number/],
    [body, { 'webhook-id': 'msg_1' }, secret, /webhook-timestamp is missing/],
    [body, headers, 'whsec_', /starts with whsec_/],
    [body, headers, 'whsec_not base64!', /starts with whsec_/],
    [body, headers, 'mp_live_key', /starts with whsec_/],
    [body, headers, '', /starts with whsec_/],
  ];
  for (const [text, its, key, message] of bad) {
    await assert.rejects(
      verifyWebhook(text, its, key),
      (error: unknown) => error instanceof WebhookVerificationError && message.test(error.message),
    );
  }
});
