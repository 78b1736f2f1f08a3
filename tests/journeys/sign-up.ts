import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { startMailSink } from '../mail-sink.ts';
import type { Platform } from '../platform.ts';

type MailSink = Awaited<ReturnType<typeof startMailSink>>;
type Client = Awaited<ReturnType<Platform['client']>>;

const shop = 'https://shop.example';
const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0' };

async function ok(pending: ReturnType<Client['get']>) {
  const { status, data, body } = await pending;
  assert.ok(status >= 200 && status < 300, `${status} ${JSON.stringify(body)}`);
  return data;
}

export const confirmation = /confirm/;
export const welcome = /^Welcome/;

const aForm = {
  name: 'Newsletter',
  fields: [{ field: 'email', type: 'email', label: { en: 'Email' }, required: true }],
  consents: [{ key: 'news', channel: 'email', text: { en: 'Yes, send me news.' } }],
  sender: { email: 'news@example.com' },
  allowed_origins: [shop],
};

/** A form with double opt-in, and a workflow that welcomes those who confirm. */
export async function welcoming(client: Client) {
  const form = await ok(client.post('/v2/contacts/forms', { ...aForm, tags: ['subscriber'] }));
  const workflow = await ok(
    client.post('/v2/workflows', {
      name: 'Welcome',
      trigger: { type: 'form_confirmed', form_id: form.id },
      entry: { policy: 'every_time' },
      steps: [{ id: 'hello', type: 'send', subject: 'Welcome', from: { email: 'news@example.com' }, html: '<p>Hello</p>' }],
    }),
  );
  return { form, workflow };
}

export const linkIn = (html: string | undefined): URL => {
  const [, link] = /href="([^"]+\/f\/confirm\/[^"]+)"/.exec(html ?? '') ?? [];
  assert.ok(link, `no confirmation link in ${html}`);
  return new URL(link);
};

/** Receives the webhooks of an account, as their types and data. */
async function receiveWebhooks(t: TestContext, client: Client) {
  const received: { type: string; data: { form_id: string } }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    received.push(JSON.parse(body));
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close().closeAllConnections());
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const events = ['form.submitted', 'form.confirmed', 'form.flooded'];
  await ok(client.post('/v2/webhooks', { url: `http://127.0.0.1:${address.port}/forms`, events }));
  return (formId: string) => received.flatMap(({ type, data }) => (data.form_id === formId ? type : []));
}

/** From the page of a form to a welcome email and revenue, as a visitor and the account see it. */
export async function signUp(t: TestContext, platform: Platform, sink: MailSink) {
  const client = await platform.client('--permission', 'admin', '--account', 'sign-up');
  const { form } = await welcoming(client);
  const webhooksOf = await receiveWebhooks(t, client);
  const email = 'hedy@sign-up.example';
  const mails = (subject: RegExp) => sink.to(email).filter((mail) => subject.test(mail.subject ?? ''));
  const contact = async () => (await ok(client.get(`/v2/contacts?email=${email}`))).items[0];
  const report = async () => ok(client.get(`/v2/contacts/forms/${form.id}/report`));

  await t.test('a submission sends one confirmation email and nothing else, and a known address gets the same response', async () => {
    assert.equal((await fetch(form.url, { headers: browser })).status, 200);
    const submit = (id: string) =>
      fetch(`${form.url}/submissions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: shop },
        body: JSON.stringify({ fields: { email }, consents: ['news'], submission_id: id }),
      });
    const [first, again] = [await submit('the-same-1'), await submit('the-same-1')];
    assert.deepEqual([first.status, await first.json()], [again.status, await again.json()]);
    await eventually(async () => mails(confirmation).length === 1);
    const { consent, tags, status } = await contact();
    assert.deepEqual([consent.email.status, tags], ['pending', []]);
    assert.notEqual(status, 'subscribed');
    const draft = {
      name: 'News',
      subject: 'News',
      from: { email: 'news@example.com' },
      html: '<p>News</p>',
      audience: { include: ['all'] },
    };
    const campaign = await ok(client.post('/v2/campaigns', draft));
    await ok(client.post(`/v2/campaigns/${campaign.id}/send`));
    await eventually(async () => (await ok(client.get(`/v2/campaigns/${campaign.id}`))).status === 'sent');
    assert.deepEqual([sink.to(email).length, mails(/^News/).length], [1, 0]);
  });

  await t.test('a scanner that follows every link confirms nothing; the button does, once, and a welcome email follows', async () => {
    const [mail] = mails(confirmation);
    for (const [, found = ''] of (mail?.html ?? '').matchAll(/href="(https?:[^"]+)"/g))
      for (const method of ['GET', 'HEAD', 'GET']) await fetch(found.replaceAll('&amp;', '&'), { method });
    const link = linkIn(mail?.html);
    assert.equal((await contact()).consent.email.status, 'pending');
    for (const _ of [1, 2]) assert.equal((await fetch(link, { method: 'POST' })).status, 200);
    const { consent, tags } = await contact();
    assert.deepEqual([consent.email.status, consent.email.method, tags], ['subscribed', 'double_opt_in', ['subscriber']]);
    await eventually(async () => mails(welcome).length > 0);
    await eventually(async () => webhooksOf(form.id).length === 2);
    assert.deepEqual(webhooksOf(form.id).sort(), ['form.confirmed', 'form.submitted']);
    assert.deepEqual([mails(welcome).length, mails(confirmation).length], [1, 1]);
  });

  await t.test('the report has the view, the submission, the confirmation and the order that follows', async () => {
    await ok(client.post('/v2/leadpulse/track', { event: 'order_placed', email, value: { amount: 24.9, currency: 'EUR' } }));
    await eventually(async () => (await report()).outcome?.orders === 1);
    const { counts, outcome } = await report();
    assert.deepEqual(counts, { views: 1, submissions: 1, new_contacts: 1, awaiting_confirmation: 1, confirmations: 1 });
    assert.deepEqual(outcome, { orders: 1, revenue: [{ amount: 24.9, currency: 'EUR' }] });
  });

  await t.test('a flood of a form reaches webhooks, once', async () => {
    const { id, url } = await ok(client.post('/v2/contacts/forms', { ...aForm, name: 'Flooded', limits: { confirmations_per_hour: 1 } }));
    for (const name of ['a', 'b', 'c']) {
      const body = JSON.stringify({ fields: { email: `${name}@sign-up.example` }, consents: ['news'] });
      await fetch(`${url}/submissions`, { method: 'POST', headers: { 'content-type': 'application/json', origin: shop }, body });
    }
    await eventually(async () => webhooksOf(id).length === 3);
    assert.deepEqual(webhooksOf(id).sort(), ['form.flooded', 'form.submitted', 'form.submitted'], 'the third needs a proof of work');
  });
}
