import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { account, startSetting } from './setting.ts';

test('emails that are not saved', async (t) => {
  const { app, neighbours, sink } = await startSetting(t);
  const owner = account(app);
  const [ada] = neighbours.contacts(owner.accountId, 1, () => ({ first_name: 'Ada', email: 'ada@example.com' }));
  const subject = 'Hi {{ contact.first_name | default: "there" }}';
  const html = '<p>Dear {{ contact.first_name }} of {{ contact.company }}</p><a href="https://shop.example/">Shop</a>';
  const sample = { first_name: 'Grace' };
  const preview = (body: object) => owner.post('/v2/campaigns/preview', { subject, html, ...body });
  const from = { email: 'news@example.com' };
  const send = (body: object) => owner.post('/v2/campaigns/test', { to: ['me@example.com'], from, content: { subject, html }, ...body });

  await t.test('are rendered for a contact, for sample fields, data and responses, and with empty fields', async () => {
    const { status, data } = await preview({ contact_id: ada?.id });
    assert.deepEqual([status, data.subject, data.missing_fields], [200, 'Hi Ada', ['contact.company']]);
    assert.match(data.html, /Dear Ada of <\/p>/);
    assert.equal((await preview({ sample })).data.subject, 'Hi Grace');
    assert.equal((await preview({})).data.subject, 'Hi there');
    assert.equal((await preview({ html: '{{ data.order }}', data: { order: 7 } })).data.html.startsWith('7'), true);
    const responses = { score: { value: 70 } };
    assert.equal((await preview({ subject: '{{ responses.score.value }}', responses })).data.subject, '70');
  });

  await t.test('report errors with the part, line and column', async () => {
    const wrong: [object, string, string, number][] = [
      [{ html: '<p>\n{{ contact.nam }}</p>' }, '/html', 'unknown_field', 2],
      [{ html: '<p>\n\n{% if %}</p>' }, '/html', 'invalid_template', 3],
      [{ subject: '{{ data.order }}' }, '/subject', 'unknown_field', 1],
      [{ subject: '{{ responses.score.value }}' }, '/subject', 'unknown_field', 1],
    ];
    for (const [body, path, code, line] of wrong) {
      const { status, error } = await preview(body);
      assert.deepEqual([status, error.details[0].path, error.details[0].code, error.details[0].line], [400, path, code, line]);
    }
    assert.equal((await preview({ contact_id: 'contact_01h455vb4pex5vsknk084sn02q' })).error.details[0].code, 'unknown_contact');
    assert.equal((await preview({ contact_id: ada?.id, sample })).status, 400);
  });

  await t.test('are sent as tests, rendered for a contact, to at most five addresses', async () => {
    const { status, data } = await send({ to: ['one@example.com', 'two@example.com', 'one@example.com'], contact_id: ada?.id });
    assert.deepEqual([status, data.messages.length], [202, 2]);
    for (const address of ['one@example.com', 'two@example.com']) {
      const mail = await eventually(() => sink.mailTo(address));
      assert.equal(mail?.subject, '[Test] Hi Ada');
      assert.match(mail?.html ?? '', /Dear Ada of/);
    }
    const six = Array.from({ length: 6 }, (_, index) => `p${index}@example.com`);
    const wrong: [object, string][] = [
      [{ to: six }, '/to'],
      [{ to: ['nobody'] }, '/to/0'],
      [{ content: { subject, html: '{% if %}' } }, '/html'],
      [{ content: { subject } }, '/html'],
      [{ contact_id: 'contact_01h455vb4pex5vsknk084sn02q' }, '/contact_id'],
    ];
    for (const [body, path] of wrong) {
      const { status, error } = await send(body);
      assert.deepEqual([status, error.details[0].path], [400, path]);
    }
  });

  await t.test('are sent at most fifty times an hour', async () => {
    const other = account(app);
    const content = { subject: 'Hi', html: '<p>Hi</p>' };
    const to = Array.from({ length: 5 }, (_, index) => `q${index}@example.com`);
    for (let sent = 0; sent < 10; sent += 1) assert.equal((await other.post('/v2/campaigns/test', { to, from, content })).status, 202);
    assert.equal((await other.post('/v2/campaigns/test', { to, from, content })).error.code, 'RATE_LIMITED');
  });

  await guaranteeRoute(t, app, {
    ...{ method: 'POST', scope: 'campaigns:read', body: { html, sample } },
    url: () => '/v2/campaigns/preview',
  });
  await guaranteeRoute(t, app, {
    ...{ method: 'POST', scope: 'campaigns:send', body: { to: ['me@example.com'], from, content: { subject, html } } },
    url: () => '/v2/campaigns/test',
  });
});
