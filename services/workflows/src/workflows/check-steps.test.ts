import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { fakeServices, mail, quietService } from '../../test/setting.ts';

test('a workflow with a message that cannot be rendered is rejected with the step, line and column', async (t) => {
  const { app } = await quietService(t);
  const account = testClient(app);
  const tag = { id: 'tag', type: 'add_tag', tag: 'x', next: 'hi' };
  const { data: workflow } = await account.post('/v2/workflows', {
    name: 'W',
    trigger: { type: 'manual' },
    steps: [tag, { id: 'hi', ...mail }],
  });
  const wrong: [string, object, string, string, number | null, number | null][] = [
    ['a tag that is not closed', { html: '<p>\n  {% if contact.email %}</p>' }, '/steps/1/html', 'invalid_template', 2, 3],
    ['a filter that does not exist', { text: 'Hi {{ contact.email | upper }}' }, '/steps/1/text', 'invalid_template', 1, 4],
    ['an object that does not exist', { subject: 'Hi {{ contactt.first_name }}' }, '/steps/1/subject', 'unknown_field', 1, 7],
    ['a field that no contact has', { preview_text: '{{ contact.frist_name }}' }, '/steps/1/preview_text', 'unknown_field', 1, 4],
    ['a link that is not allowed in an email', { html: '<a href="javascript:alert(1)">x</a>' }, '/steps/1/html', 'unsafe_link', null, null],
  ];
  for (const [what, message, path, code, line, column] of wrong) {
    await t.test(what, async () => {
      const steps = [tag, { id: 'hi', ...mail, ...message }];
      for (const response of [
        await account.post('/v2/workflows', { name: 'W', trigger: { type: 'manual' }, status: 'draft', steps }),
        await account.put(`/v2/workflows/${workflow.id}`, { steps }),
      ]) {
        assert.deepEqual([response.status, response.error?.code], [400, 'VALIDATION_ERROR'], response.text);
        const [detail] = response.error.details;
        assert.deepEqual([detail.path, detail.code], [path, code]);
        if (line !== null) assert.deepEqual([detail.line, detail.column], [line, column]);
      }
    });
  }

  await t.test('a message that can be rendered is accepted', async () => {
    const html =
      '{% if contact.attributes.plan == "pro" %}{{ contact.first_name | default: "you" }}{% endif %} {{ data.order }} {{ unsubscribe_url }}';
    const response = await account.put(`/v2/workflows/${workflow.id}`, { steps: [tag, { id: 'hi', ...mail, html }] });
    assert.equal(response.status, 200, response.text);
  });

  await t.test('a workflow stored before this check can be renamed', async () => {
    const renamed = await account.put(`/v2/workflows/${workflow.id}`, { name: 'New' });
    assert.equal(renamed.status, 200, renamed.text);
  });
});

test('a single-line field with a line break is rejected on write and still readable if an earlier version stored it', async (t) => {
  const { app, parts } = await quietService(t);
  const account = testClient(app);
  const steps = (broken: string) => [
    { id: 'tag', type: 'add_tag', name: `A${broken}b`, tag: `A${broken}b`, next: 'hi' },
    { id: 'hi', ...mail, subject: `A${broken}b`, from: { email: 'news@example.com', name: `A${broken}b` } },
  ];
  const create = (broken: string) => account.post('/v2/workflows', { name: 'W', trigger: { type: 'manual' }, steps: steps(broken) });
  const refused = await create('\n');
  assert.deepEqual(
    refused.error?.details.map(({ path }: { path: string }) => path),
    ['/steps/0/name', '/steps/0/tag', '/steps/1/subject', '/steps/1/from/name'],
  );

  const { data: workflow } = await create(' ');
  const definition = JSON.stringify({ trigger: workflow.trigger, steps: steps('\n'), entry: workflow.entry, on_error: workflow.on_error });
  for (const name of ['workflows', 'versions'])
    await parts.mongo.db.collection(name).updateOne({ account_id: account.accountId }, { $set: { definition } });
  for (const path of ['', `/${workflow.id}`, `/${workflow.id}/versions`]) {
    const read = await account.get(`/v2/workflows${path}`);
    assert.equal(read.status, 200, read.text);
  }
});

test('a step can use a coupon of the account, and an unknown one is rejected with the nearest name', async (t) => {
  const play = await fakeServices(t);
  const { app, parts } = await quietService(t);
  parts.broker.start();
  await parts.broker.connected();
  play.coupons.set('spring_sale', { name: 'spring_sale', codes_left: 1, expires_at: null });
  const account = testClient(app);
  const create = (html: string) =>
    account.post('/v2/workflows', { name: 'W', trigger: { type: 'manual' }, steps: [{ id: 'hi', ...mail, html }] });
  assert.equal((await create('<p>{{ coupon.spring_sale }}</p>')).status, 201);
  const { error } = await create('<p>{{ coupon.spring_sal }}</p>');
  assert.deepEqual([error.details[0].path, error.details[0].code], ['/steps/0/html', 'unknown_coupon']);
  assert.match(error.message, /Did you mean "spring_sale"\?/);
});
