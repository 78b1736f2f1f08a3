import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FormSubmitted } from '@mp/contracts/events/contacts';
import { type Client, testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { aForm, newsletter } from '../../test/forms.ts';
import { aVisitor, confirmations, fillInQuickly } from '../../test/visitors.ts';
import { buildApp } from '../app.ts';
import { signStamp } from './page-stamp.ts';

const path = '/v2/contacts/forms';
const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`;

test('attacks on forms', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);

  async function formOf(account: Client, body: object = {}) {
    const { status, data, text } = await account.post(path, { ...aForm(), ...body });
    assert.equal(status, 201, text);
    return data;
  }
  const submittedCount = async (account: Client) =>
    (await writtenEvents(parts.mongo.db, { accountId: account.accountId, subject: FormSubmitted.subject })).length;
  const ada = { fields: { email: 'ada@example.com' }, consents: ['news'] };

  await t.test('a submission changes contacts of its own account only, and a link confirms only what it was signed for', async () => {
    const [mine, theirs] = [testClient(app), testClient(app)];
    const { data: victim } = await theirs.post('/v2/contacts', { email: 'ada@example.com' });
    const [first, second] = [await formOf(mine), await formOf(theirs)];
    await aVisitor(app).submit(first.id, ada);
    assert.deepEqual((await theirs.get(`/v2/contacts/${victim.id}`)).data, victim);
    const link = (await confirmations(parts, mine.accountId))[0]?.confirm_path ?? '';
    const suffix = (id: string) => id.slice(id.indexOf('_') + 1);
    const forged = link.replace(suffix(mine.accountId), suffix(theirs.accountId));
    assert.notEqual(forged, link);
    assert.equal((await aVisitor(app).post(forged)).status, 404);
    assert.equal((await theirs.get(`${path}/${first.id}`)).status, 404);
    assert.equal((await mine.get(`${path}/${second.id}`)).status, 404);
  });

  await t.test('no text of a form, a visitor or an address becomes HTML', async () => {
    const account = testClient(app);
    const label = { en: hostile };
    const form = await formOf(account, {
      title: label,
      description: label,
      submit_label: label,
      fields: [
        ...aForm().fields,
        { field: 'company', type: 'select', label, options: [{ value: hostile, label }] },
        { field: 'attributes.note', type: 'textarea', label },
      ],
      consents: newsletter({ text: label }),
      after_submission: { kind: 'message', text: label },
      after_confirmation: { kind: 'message', text: label },
    });
    const visitor = aVisitor(app);
    const filled = { email: hostile, company: hostile, 'attributes.note': `</textarea>${hostile}`, consent: hostile, [hostile]: hostile };
    const right = { email: 'ada@example.com', consent: 'news' };
    const pages = [
      await visitor.get(`/f/${form.id}?email=${encodeURIComponent(hostile)}&lang=${encodeURIComponent(hostile)}`),
      await visitor.post(`/f/${form.id}`, filled),
      await visitor.post(`/f/${form.id}`, right),
    ];
    const link = (await confirmations(parts, account.accountId))[0]?.confirm_path ?? '';
    pages.push(await visitor.get(link), await visitor.post(link));
    for (const { text, headers } of pages) {
      assert.doesNotMatch(text, /<script|<img/i);
      assert.match(String(headers['content-security-policy']), /^default-src 'none'; style-src 'unsafe-inline'; form-action 'self'/);
    }
    assert.deepEqual(
      pages.map(({ status }) => status),
      [200, 400, 200, 200, 200],
    );
  });

  await t.test('only pages of the allowed origins may submit or embed the form, and no other may read the response', async () => {
    const account = testClient(app);
    const form = await formOf(account, { allowed_origins: ['https://*.shop.example'] });
    const page = await aVisitor(app).get(`/f/${form.id}`);
    assert.match(String(page.headers['content-security-policy']), /frame-ancestors https:\/\/\*\.shop\.example;/);
    assert.match(
      String((await aVisitor(app).get(`/f/${(await formOf(account)).id}`)).headers['content-security-policy']),
      /frame-ancestors 'none'/,
    );
    for (const origin of ['https://evil.example', 'null', 'https://shop.example.evil.example', 'http://www.shop.example']) {
      const json = await aVisitor(app).submit(form.id, ada, { origin });
      assert.deepEqual([json.status, json.headers['access-control-allow-origin']], [403, undefined], origin);
      assert.equal((await aVisitor(app).post(`/f/${form.id}`, { email: 'ada@example.com' }, { origin })).status, 403, origin);
    }
    assert.equal(await submittedCount(account), 0);
    const origin = 'https://www.shop.example';
    const allowed = await aVisitor(app).submit(form.id, ada, { origin });
    assert.deepEqual([allowed.status, allowed.headers['access-control-allow-origin']], [200, origin]);
    assert.equal(allowed.headers['access-control-allow-credentials'], undefined);
    for (const wrong of [{ fields: {} }, { unheard_of: 1 }]) {
      const { status, headers } = await aVisitor(app).submit(form.id, wrong, { origin });
      assert.deepEqual([status, headers['access-control-allow-origin']], [400, origin], 'the page can read what is wrong');
    }
  });

  await t.test('the response never tells whether an address is known, in its status, body, headers or time', async () => {
    const account = testClient(app);
    const fields = [
      ...aForm().fields,
      { field: 'attributes.age', type: 'text', label: { en: 'Age' } },
      { field: 'phone', type: 'phone', label: { en: 'Phone' } },
    ];
    const form = await formOf(account, { fields });
    await account.post('/v2/contacts', { email: 'known@example.com', attributes: { age: 41 } });
    await account.post('/v2/contacts', { email: 'subscriber@example.com', consent: { email: { status: 'subscribed' } } });
    await account.post('/v2/contacts', { email: 'left@example.com', consent: { email: { status: 'unsubscribed' } } });
    await account.post('/v2/contacts', { email: 'taken@example.com', phone: '+4930901820' });
    await account.post('/v2/contacts/suppressions', { email: 'bounced@example.com', reason: 'hard_bounce' });
    const names = ['unknown', 'known', 'subscriber', 'left', 'bounced', 'taken'];
    const detailsOf = async (sent: (name: string) => object) => {
      const replies = [];
      for (const name of names) {
        const { status, headers, text } = await aVisitor(app).submit(form.id, { consents: ['news'], ...sent(name) });
        const { 'x-request-id': _, date: __, ...others } = headers;
        replies.push(JSON.stringify([status, others, text.replace(/req_\w+/, '')]));
      }
      return new Set(replies);
    };
    assert.equal((await detailsOf((name) => ({ fields: { email: `${name}@example.com` } }))).size, 1);
    assert.equal((await detailsOf((name) => ({ fields: { email: `${name}@example.com`, phone: '+4930901820' } }))).size, 1);
    const pages = await Promise.all(
      names.map((name) => aVisitor(app).post(`/f/${form.id}`, { email: `${name}@example.com`, consent: 'news' })),
    );
    assert.equal(new Set(pages.map(({ status, text }) => `${status} ${text}`)).size, 1, 'the page');
    const wrong = await detailsOf((name) => ({ fields: { email: `${name}@example.com`, 'attributes.age': 'text' } }));
    assert.deepEqual([wrong.size, [...wrong][0]?.startsWith('[400')], [1, true]);

    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
    for (let round = 0; round < 15; round += 1) {
      for (const kind of ['known', 'unknown'] as const) {
        const email = `${kind}${round}@timing.example`;
        if (kind === 'known') await account.post('/v2/contacts', { email });
        const began = performance.now();
        await aVisitor(app).submit(form.id, { fields: { email }, consents: ['news'] });
        times[kind].push(performance.now() - began);
      }
    }
    const median = (values: number[]) => values.toSorted((a, b) => a - b)[7] ?? 0;
    const ratio = median(times.known) / median(times.unknown);
    assert.ok(ratio > 1 / 4 && ratio < 4, `known addresses take ${ratio} times as long`);
  });

  await t.test('a scanner that opens every link, even twice and with HEAD, confirms nothing', async () => {
    const account = testClient(app);
    const form = await formOf(account);
    for (const name of ['a', 'b', 'c']) await aVisitor(app).submit(form.id, { ...ada, fields: { email: `${name}@example.com` } });
    for (const { confirm_path: url } of await confirmations(parts, account.accountId)) {
      await aVisitor(app).get(url);
      await aVisitor(app).get(`${url}?utm=1`);
      await app.inject({ method: 'HEAD', url });
      await app.inject({ method: 'OPTIONS', url });
    }
    const { data } = await account.get('/v2/contacts');
    for (const { consent } of data.items) assert.equal(consent.topics.newsletter.email.status, 'pending');
  });

  await t.test('what fills in the honeypot is not stored, and sees what everybody sees; nobody fills in a form in no time', async () => {
    const account = testClient(app);
    const form = await formOf(account);
    const robot = await aVisitor(app).submit(form.id, { ...ada, website: 'https://spam.example' });
    const { status, data } = await aVisitor(app).submit(form.id, { ...ada, fields: { email: 'b@example.com' } });
    assert.deepEqual([robot.status, robot.data], [status, data]);
    assert.equal(await submittedCount(account), 1);
    const { reply } = await fillInQuickly(app, () => formOf(account), { email: 'c@example.com' });
    assert.equal(reply.status, 429);
  });

  await t.test('a network or an address that submits again and again is limited, and others are not', async () => {
    const account = testClient(app);
    const form = await formOf(account);
    const one = aVisitor(app);
    const statuses = [];
    for (let index = 0; index < 40; index += 1)
      statuses.push((await one.submit(form.id, { ...ada, fields: { email: `n${index}@example.com` } })).status);
    assert.deepEqual([statuses.filter((status) => status === 200).length, statuses.at(-1)], [30, 429]);
    const replies = [];
    for (let index = 0; index < 7; index += 1) replies.push(await aVisitor(app).submit(form.id, ada));
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200, 200, 200, 429, 429],
    );
    assert.ok(Number(replies.at(-1)?.headers['retry-after']) > 0);
  });

  await t.test(
    'with a captcha, a page with JavaScript must solve a challenge of the form, once; a page without it needs its stamp',
    async () => {
      const account = testClient(app);
      const [form, other] = [await formOf(account, { captcha: 'always' }), await formOf(account, { captcha: 'always' })];
      const solved = async (formId: string) => {
        const challenge = JSON.parse((await aVisitor(app).get(`/f/${formId}/challenge`)).text);
        const solution = await solveChallenge({ challenge, deriveKey });
        return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
      };
      const code = async (body: object) => {
        const { status, error } = await aVisitor(app).submit(form.id, { ...ada, ...body });
        return status === 200 ? 'accepted' : error.details[0].code;
      };
      const captcha = await solved(form.id);
      assert.equal(await code({}), 'captcha_required');
      assert.equal(await code({ captcha: 'nonsense' }), 'captcha_invalid');
      assert.equal(await code({ captcha: await solved(other.id) }), 'captcha_invalid');
      const { challenge, solution } = JSON.parse(Buffer.from(captcha, 'base64').toString());
      const cheap = { challenge: { ...challenge, parameters: { ...challenge.parameters, keyPrefix: '00' } }, solution };
      assert.equal(await code({ captcha: Buffer.from(JSON.stringify(cheap)).toString('base64') }), 'captcha_invalid');
      assert.equal(await code({ captcha, submission_id: 'submission-1' }), 'accepted');
      assert.equal(await code({ captcha, submission_id: 'submission-1' }), 'accepted', 'a retry');
      assert.equal(await code({ captcha, submission_id: 'submission-2' }), 'captcha_used');
      assert.equal((await aVisitor(app).post(`/f/${form.id}`, { email: 'b@example.com' })).status, 403);
      const post = (proof: string) => aVisitor(app).post(`/f/${form.id}`, { email: 'b@example.com', consent: 'news', altcha: proof });
      const refused = await post('nonsense');
      assert.equal(refused.status, 400);
      assert.match(refused.text, /role="alert">Please check your details and send them again/);
      assert.equal((await post(await solved(form.id))).status, 200, 'the page sends what its script has solved');
    },
  );

  await t.test(
    'while a proof is required, the page has the script that solves it; robots without it get little, and are told why',
    async () => {
      const account = testClient(app);
      const [open, guarded] = [await formOf(account), await formOf(account, { captcha: 'always' })];
      const policyOf = async (id: string) => {
        const { text, headers } = await aVisitor(app).get(`/f/${id}`);
        return { text, policy: String(headers['content-security-policy']) };
      };
      const plain = await policyOf(open.id);
      assert.doesNotMatch(plain.text, /<script/);
      assert.doesNotMatch(plain.policy, /script-src|connect-src/);
      const page = await policyOf(guarded.id);
      assert.match(page.text, /<script type="module" src="\/f\/proof\.js"><\/script>/);
      assert.match(page.policy, /script-src 'self'; connect-src 'self'/);

      const statuses: number[] = [];
      for (let index = 0; index < 33; index += 1) {
        const _stamp = signStamp(parts.contextKeys, guarded.id, new Date(Date.now() - 5_000));
        const { status, text } = await aVisitor(app).post(`/f/${guarded.id}`, { email: `p${index}@example.com`, consent: 'news', _stamp });
        statuses.push(status);
        if (status !== 200) assert.match(text, /role="alert">[^<]*JavaScript turned on/);
      }
      assert.deepEqual([statuses.filter((status) => status === 200).length, statuses.at(-1)], [30, 400]);
      assert.equal(await submittedCount(account), 30);
    },
  );

  await t.test('bodies, names and queries beyond their bounds are rejected; an email in the query is filled in', async () => {
    const form = await formOf(testClient(app));
    const long = 'x'.repeat(70_000);
    assert.equal((await aVisitor(app).submit(form.id, { fields: { email: long } })).status, 413);
    assert.equal((await aVisitor(app).post(`/f/${form.id}`, { email: long })).status, 413);
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${index}`, 'x']));
    assert.equal((await aVisitor(app).submit(form.id, { fields: many })).status, 400);
    assert.equal((await aVisitor(app).get(`/f/${form.id}?email=${'a'.repeat(1_000)}`)).status, 200);
    assert.match((await aVisitor(app).get(`/f/${form.id}?email=ada%40example.com`)).text, /type="email"[^>]* value="ada@example\.com"/);
    for (const id of ['nonsense', 'form_01h455vb4pex5vsknk084sn02q', `form_${'x'.repeat(200)}`])
      assert.equal((await aVisitor(app).get(`/f/${id}`)).status, 404);
  });
});
