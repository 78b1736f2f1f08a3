import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { FormConfirmed, FormSubmitted } from '@mp/contracts/events/contacts';
import { type Client, testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { aForm } from '../../test/forms.ts';
import { aVisitor, confirmations, fillInQuickly } from '../../test/visitors.ts';
import { buildApp } from '../app.ts';

const path = '/v2/contacts/forms';
const shop = 'https://www.shop.example';
const maxBytes = 8_000;

test('forms in pages of other websites', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);
  async function formOf(account: Client, body: object = {}) {
    const { status, data, text } = await account.post(path, { ...aForm(), allowed_origins: ['https://*.shop.example'], ...body });
    assert.equal(status, 201, text);
    return data;
  }
  const written = async (account: Client, type: { subject: string }) =>
    (await writtenEvents(parts.mongo.db, { accountId: account.accountId, subject: type.subject })).map(({ envelope }) => envelope.data);
  const embedded = (id: string, more = '') => `/f/${id}?embed=1&page=${encodeURIComponent(`${shop}/blog`)}${more}`;
  const actionIn = (html: string) => /action="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';

  await t.test('the script is at most 8 kB, and its versioned URL is immutable', async () => {
    const get = (url: string) => app.inject({ method: 'GET', url, headers: { 'accept-encoding': 'gzip' } });
    const latest = await get('/f/embed.js');
    assert.equal(latest.statusCode, 200);
    assert.ok(latest.rawPayload.length <= maxBytes, `${latest.rawPayload.length} bytes`);
    const [, version] = /Forms (\S+);/.exec(gunzipSync(latest.rawPayload).toString()) ?? [];
    const versioned = await get(`/f/embed-${version}.js`);
    assert.deepEqual(versioned.rawPayload, latest.rawPayload);
    assert.match(String(versioned.headers['cache-control']), /immutable/);
    assert.doesNotMatch(gunzipSync(latest.rawPayload).toString(), /\beval\b|new Function|document\.write|innerHTML/);
    for (const name of ['frame', 'proof']) {
      const script = await get(`/f/${name}.js`);
      assert.ok(script.statusCode === 200 && script.rawPayload.length <= 1_000, `${name}: ${script.rawPayload.length} bytes`);
    }
  });

  await t.test('only a frame in a page of an allowed origin has a script, which tells that origin alone', async () => {
    const form = await formOf(testClient(app));
    const page = await aVisitor(app).get(embedded(form.id));
    assert.match(page.text, /<script src="\/f\/frame\.js" data-parent="https:\/\/www\.shop\.example"/);
    assert.match(String(page.headers['content-security-policy']), /script-src 'self'/);
    for (const url of [
      `/f/${form.id}`,
      `/f/${form.id}?embed=1`,
      `/f/${form.id}?embed=1&page=https://evil.example/`,
      `/f/${form.id}?embed=1&page=https://shop.example.evil.example/`,
      `/f/${form.id}?page=${shop}/`,
    ]) {
      const { text, headers } = await aVisitor(app).get(url);
      assert.doesNotMatch(text, /<script/, url);
      assert.doesNotMatch(String(headers['content-security-policy']), /script-src/, url);
    }
  });

  await t.test('a submission in a frame stays in the frame, which says so, and names the page', async () => {
    const account = testClient(app);
    const form = await formOf(account, { after_submission: { kind: 'redirect', url: 'https://www.shop.example/thanks?a=1&b=2' } });
    const visitor = aVisitor(app);
    const action = actionIn((await visitor.get(embedded(form.id))).text);
    const wrong = await visitor.post(action, { email: 'nope' });
    assert.deepEqual([wrong.status, actionIn(wrong.text)], [400, action]);
    const done = await visitor.post(action, { email: 'ada@example.com', consent: 'news' });
    assert.equal(done.status, 200, 'a redirect would show the other page in the frame');
    assert.match(done.text, /data-status="submitted" data-redirect="https:\/\/www\.shop\.example\/thanks\?a=1&amp;b=2"/);
    assert.match(done.text, /<a href="https:\/\/www\.shop\.example\/thanks\?a=1&amp;b=2" target="_top"/);
    const [submitted] = await written(account, FormSubmitted);
    assert.equal(FormSubmitted.data.parse(submitted).page, `${shop}/blog`);
  });

  await t.test('the visitor of the page is named once the address is proven, or if the submission created the contact', async () => {
    const account = testClient(app);
    const direct = await formOf(account, { consents: [], sender: null });
    const optIn = await formOf(account);
    const submit = async (id: string, email: string, more: object = {}) => {
      const visitor = aVisitor(app);
      const action = actionIn((await visitor.get(embedded(id, '&visitor=12-34-56-78'))).text);
      assert.equal((await visitor.post(action, { email, ...more })).status, 200);
    };
    await account.post('/v2/contacts', { email: 'known@example.com' });
    await submit(direct.id, 'new@example.com');
    await submit(direct.id, 'known@example.com');
    await submit(optIn.id, 'wait@example.com', { consent: 'news' });
    const visitors = async (type: typeof FormSubmitted | typeof FormConfirmed) =>
      (await written(account, type)).map((data) => type.data.parse(data).visitor_id);
    assert.deepEqual(await visitors(FormSubmitted), ['12-34-56-78', null, null]);
    const [requested] = await confirmations(parts, account.accountId);
    await aVisitor(app).post(requested?.confirm_path ?? '');
    assert.deepEqual(await visitors(FormConfirmed), ['12-34-56-78']);
  });

  await t.test('markup of your own needs no stamp, and while a proof is required, the page of the form asks to send it again', async () => {
    const account = testClient(app);
    const form = await formOf(account);
    const post = (id: string) =>
      aVisitor(app).post(`/f/${id}`, { email: 'ada@example.com', consent: 'news' }, { origin: shop, referer: `${shop}/own` });
    assert.equal((await post(form.id)).status, 200);
    const [submitted] = await written(account, FormSubmitted);
    assert.equal(FormSubmitted.data.parse(submitted).page, `${shop}/own`);
    const guarded = await formOf(account, { captcha: 'always' });
    const again = await post(guarded.id);
    assert.equal(again.status, 403);
    assert.match(again.text, /value="ada@example\.com"/);
    assert.match(again.text, /name="_stamp"/);
    assert.match(again.text, /value="news" checked/);
    assert.match(again.text, /role="alert"/);
    assert.equal((await written(account, FormSubmitted)).length, 1);
  });

  await t.test('who fills in a form within a second, such as with a browser that does it, sends it again and loses nothing', async () => {
    const open = async () => {
      const account = testClient(app);
      return { account, id: String((await formOf(account)).id) };
    };
    const { account, reply, hasStamp } = await fillInQuickly(app, open, { email: 'quick@example.com', consent: 'news' });
    assert.equal(reply.status, 429);
    assert.match(reply.text, /value="quick@example\.com"/);
    assert.ok(hasStamp);
    assert.equal((await written(account, FormSubmitted)).length, 0);
  });

  await t.test('CSS of your own can load the logo of the form and nothing else', async () => {
    const look = { logo_url: 'https://cdn.example/a;b,c/logo.png?v=1', css: 'h1 { background: url(https://cdn.example/x.png) }' };
    const form = await formOf(testClient(app), { look });
    const { text, headers } = await aVisitor(app).get(`/f/${form.id}`);
    assert.ok(text.includes(`<style>${look.css}</style>`));
    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; style-src 'unsafe-inline'; img-src https:\/\/cdn\.example\/a%3Bb%2Cc\/logo\.png; form-action /,
    );
  });

  await t.test('a form without a title has no heading', async () => {
    const account = testClient(app);
    const [without, titled] = [await formOf(account), await formOf(account, { title: { en: 'News' } })];
    assert.doesNotMatch((await aVisitor(app).get(`/f/${without.id}`)).text, /<h1/);
    assert.match((await aVisitor(app).get(`/f/${titled.id}`)).text, /<h1>News<\/h1>/);
  });
});
