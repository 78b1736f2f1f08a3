import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { startNeighbours } from '../../test/neighbours.ts';
import { routesOnly, smallest } from '../../test/setting.ts';

test('POST /v2/campaigns', async (t) => {
  const neighbours = await startNeighbours(t);
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  const owner = testClient(app);

  await t.test('creates a draft from the smallest request', async () => {
    const { status, data, headers } = await owner.post('/v2/campaigns', smallest);
    assert.equal(status, 201);
    assert.match(data.id, /^campaign_[0-9a-z]{26}$/);
    assert.deepEqual([headers.location, headers.etag], [`/v2/campaigns/${data.id}`, '"1"']);
    assert.deepEqual(
      [data.status, data.channel, data.audience, data.audience_count],
      ['draft', 'email', { include: ['all'], exclude: [] }, null],
    );
    assert.deepEqual((await owner.get(`/v2/campaigns/${data.id}`)).data, { ...data, progress: null, timing: null });
  });

  await t.test('returns the first response to a retry', async () => {
    const retry = { 'idempotency-key': 'c1' };
    const [first, second] = [await owner.post('/v2/campaigns', smallest, retry), await owner.post('/v2/campaigns', smallest, retry)];
    assert.deepEqual([second.status, second.data], [201, first.data]);
  });

  await t.test('rejects templates that are invalid, unsafe or use unknown fields, naming the part and the known fields', async () => {
    const wrong: [object, string, string, RegExp][] = [
      [{ html: '{{ contact.first_nam }}' }, '/html', 'unknown_field', /contact\.first_nam.*contact\.first_name/],
      [{ subject: '{{ first_name }}' }, '/subject', 'unknown_field', /first_name/],
      [{ text: '{{ contact.attributes }}' }, '/text', 'unknown_field', /contact\.attributes/],
      [{ preview_text: '{% if contact.email %}' }, '/preview_text', 'invalid_template', /not closed/],
      [{ html: '{{ contact.email | upper }}' }, '/html', 'invalid_template', /undefined filter/],
      [{ html: '{{ contact.email | raw }}' }, '/html', 'invalid_template', /undefined filter/],
      [{ html: '{% include "/etc/passwd" %}' }, '/html', 'invalid_template', /not found/],
      [{ html: '{% render "x" %}' }, '/html', 'invalid_template', /not found/],
      [{ html: '{{ contact.constructor.constructor }}' }, '/html', 'unknown_field', /constructor/],
    ];
    for (const [body, path, code, message] of wrong) {
      const { status, error } = await owner.post('/v2/campaigns', { ...smallest, ...body });
      assert.deepEqual([status, error.code, error.details[0].path, error.details[0].code], [400, 'VALIDATION_ERROR', path, code]);
      assert.match(error.message, message);
    }
  });

  await t.test('accepts every known template field', async () => {
    const html =
      '{{ contact.attributes.plan }} {{ contact.address.city }} {{ contact.tags | join: ", " }} {{ contact.tags.first }} {{ campaign.name }} {{ unsubscribe_url }}';
    assert.equal((await owner.post('/v2/campaigns', { ...smallest, html })).status, 201);
  });

  await t.test('a missing audience hides no other problem, and each is explained in plain words', async () => {
    const { status, error } = await testClient(app).post('/v2/campaigns', { name: 'x', from: { email: 'nobody' } });
    const said = error.details.map(({ path, message }: { path: string; message: string }) => `${path}: ${message}`);
    assert.deepEqual(
      [status, said.toSorted()],
      [
        400,
        [
          '/audience: This field is required: an object.',
          '/from/email: Invalid email address',
          '/html: The email is empty; set html, mjml, text or template_id.',
          '/subject: subject is required, unless the template has one.',
        ],
      ],
    );
  });

  await t.test('names each invalid field', async () => {
    const wrong: [object, string][] = [
      [{ from: { email: 'nope' } }, '/from/email'],
      [{ audience: { include: [] } }, '/audience/include'],
      [{ audience: { include: ['everybody'] } }, '/audience/include/0'],
      [{ audience: { include: ['all'], exclude: ['all'] } }, '/audience/exclude/0'],
      [{ subject: '' }, '/subject'],
      [{ throttle_per_minute: 0 }, '/throttle_per_minute'],
      [{ html: 'x'.repeat(400_001) }, '/html'],
      [{ channel: 'sms' }, '/channel'],
      [{ reply_to: 'a@b.co\r\nBcc: x@y.zz' }, '/reply_to'],
    ];
    for (const [body, path] of wrong) {
      const { status, error } = await owner.post('/v2/campaigns', { ...smallest, ...body });
      assert.deepEqual([path, status, error.details[0].path], [path, 400, path]);
    }
  });

  await t.test('rejects segments the account does not have, and accepts any while the segments service is unavailable', async () => {
    const own = neighbours.segment(owner.accountId, []);
    const foreign = neighbours.segment(newId('account'), []);
    const create = (include: string[], exclude: string[] = []) =>
      owner.post('/v2/campaigns', { ...smallest, audience: { include, exclude } });
    assert.equal((await create([foreign])).status, 201, 'NATS is not connected yet; the check is left to the send');
    parts.broker.start();
    await parts.broker.connected();
    assert.equal((await create([own], [own])).status, 201);
    const { status, error } = await create(['all', own, foreign], [newId('segment')]);
    assert.equal(status, 400);
    assert.deepEqual(
      error.details.map(({ path }: { path: string }) => path),
      ['/audience/include/2', '/audience/exclude/0'],
    );
  });
});
