import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FormSubmitted } from '@mp/contracts/events/contacts';
import { FormRevenue } from '@mp/contracts/requests/leadpulse';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { aForm } from '../../test/forms.ts';
import { aVisitor, confirmations } from '../../test/visitors.ts';
import { buildApp } from '../app.ts';

const path = '/v2/contacts/forms';
const shop = 'https://www.shop.example';
const person = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };

test('the report of a form', async (t) => {
  const parts = await testParts(t, 'contacts', { monitorCommands: true });
  const { app } = await testService(t, parts, buildApp);
  // Without the relay, so that what was published stays in the outbox.
  parts.broker.start();
  const made = async (account: ReturnType<typeof testClient>) => {
    const { data } = await account.post(path, { ...aForm(), allowed_origins: [shop] });
    return data.id;
  };

  await guaranteeRoute(t, app, { method: 'GET', scope: 'contacts:read', url: async (account) => `${path}/${await made(account)}/report` });

  await t.test('counts views, submissions and confirmations by day, page and source', async () => {
    const account = testClient(app);
    const id = await made(account);
    const url = `/f/${id}?embed=1&page=${encodeURIComponent(`${shop}/blog?secret=1#x`)}&source=news.example`;
    const visitor = aVisitor(app);
    const [, action = ''] = /action="([^"]+)"/.exec((await visitor.get(url, person)).text) ?? [];
    await visitor.get(`/f/${id}?utm_source=poster`, person);
    await app.inject({ method: 'HEAD', url: `/f/${id}` });
    await visitor.get(`/f/${id}`, { 'user-agent': 'Googlebot/2.1' });
    const sent = { email: 'ada@example.com', consent: 'news' };
    await visitor.post(action.replaceAll('&amp;', '&'), sent);
    await visitor.submit(
      id,
      { fields: { email: 'bo@example.com' }, submission_id: 'the-same-1', page: `${shop}/app?secret=2#x` },
      { origin: shop },
    );
    await visitor.submit(
      id,
      { fields: { email: 'bo@example.com' }, submission_id: 'the-same-1', page: `${shop}/app?secret=2#x` },
      { origin: shop },
    );
    const [requested] = await confirmations(parts, account.accountId);
    for (const _ of [1, 2]) await visitor.post(requested?.confirm_path ?? '');

    const { status, data } = await account.get(`${path}/${id}/report`);
    assert.equal(status, 200);
    const counts = { views: 2, submissions: 2, new_contacts: 2, awaiting_confirmation: 1, confirmations: 1 };
    assert.deepEqual(data.counts, counts);
    assert.deepEqual([data.rates.submission.value, data.rates.confirmation.value], [1, 1]);
    assert.equal(data.series.length, 30);
    assert.deepEqual(data.series.at(-1).counts, counts);
    const one = { views: 1, submissions: 1, new_contacts: 1, awaiting_confirmation: 1, confirmations: 1 };
    assert.deepEqual(data.pages.find(({ page }: { page: string }) => page === `${shop}/blog`)?.counts, one);
    assert.deepEqual(data.sources.find(({ source }: { source: string }) => source === 'news.example')?.counts, one);
    assert.equal(data.sources.find(({ source }: { source: string }) => source === 'poster')?.counts.views, 1);
    const published = await writtenEvents(parts.mongo.db, { accountId: account.accountId, subject: FormSubmitted.subject });
    const pages = published.map(({ envelope }) => FormSubmitted.data.parse(envelope.data).page);
    assert.deepEqual(pages, [`${shop}/blog`, `${shop}/app`]);
    assert.ok(!JSON.stringify(data).includes('secret'));
  });

  await t.test('has the orders of contacts that the form created as LeadPulse counts them, and none while it is unavailable', async () => {
    const account = testClient(app);
    const id = await made(account);
    const report = () => account.get(`${path}/${id}/report?from=2026-01-01&to=2026-01-31`);
    const unavailable = await report();
    assert.deepEqual([unavailable.status, unavailable.data.outcome], [200, null]);
    const outcome = { orders: 2, revenue: [{ amount: 31.5, currency: 'EUR' }] };
    const requests: unknown[] = [];
    await parts.broker.reply(FormRevenue, async (request) => {
      requests.push(request);
      return outcome;
    });
    assert.deepEqual((await report()).data.outcome, outcome);
    const range = { from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' };
    assert.deepEqual(requests, [{ account_id: account.accountId, form_id: id, ...range }]);
  });

  await t.test('counts every one of many concurrent submissions, and rejects none for waiting too long', async () => {
    const account = testClient(app);
    const { data: form } = await account.post(path, { ...aForm(), captcha: 'off' });
    let aborted = 0;
    parts.mongo.client.on('commandStarted', ({ commandName }) => {
      if (commandName === 'abortTransaction') aborted += 1;
    });
    const emails = Array.from({ length: 30 }, (_, index) => `many${index}@example.com`);
    const sent = await Promise.all(emails.map((email) => aVisitor(app).submit(form.id, { fields: { email }, consents: ['news'] })));
    t.diagnostic(`${aborted} attempts were repeated`);
    assert.deepEqual(new Set(sent.map(({ status }) => status)), new Set([200]));
    const { counts } = (await account.get(`${path}/${form.id}/report`)).data;
    assert.deepEqual([counts.submissions, counts.new_contacts], [30, 30]);
  });

  await t.test('is of one account and range, and many invented pages are counted together', async () => {
    const account = testClient(app);
    const id = await made(account);
    assert.equal((await testClient(app).get(`${path}/${id}/report`)).status, 404);
    for (let index = 0; index < 110; index += 1)
      await aVisitor(app).get(`/f/${id}?embed=1&page=${encodeURIComponent(`${shop}/p${index}`)}`, person);
    const { data } = await account.get(`${path}/${id}/report`);
    assert.equal(data.counts.views, 110);
    assert.equal(data.pages.find(({ page }: { page: string | null }) => page === '(other)').counts.views, 10);
    const past = await account.get(`${path}/${id}/report?from=2026-01-01&to=2026-01-31`);
    assert.deepEqual([past.data.counts.views, past.data.series.length], [0, 31]);
    assert.equal((await account.get(`${path}/${id}/report?from=2026-02-01&to=2026-01-31`)).status, 400);
    assert.equal((await account.get(`${path}/${id}/report?from=2020-01-01`)).status, 400);
  });
});
