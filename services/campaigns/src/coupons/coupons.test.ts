import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { routesOnly, smallest } from '../../test/setting.ts';

const path = '/v2/campaigns/coupons';
const newName = () => newId('coupon');

test('coupons', async (t) => {
  const { app } = await testService(t, await testParts(t, 'campaigns'), routesOnly());
  const owner = testClient(app);
  const create = (body: object = {}) => owner.post(path, { name: newName(), ...body });

  await t.test('have codes that were uploaded or generated, each once', async () => {
    const { status, data, headers } = await create({ codes: ['A1', 'A2', 'A2'], expires_at: '2099-01-01T00:00:00+01:00' });
    assert.deepEqual([status, data.codes_count, data.codes_left, data.single_use], [201, 2, 2, true]);
    assert.deepEqual([headers.location, data.expires_at], [`${path}/${data.id}`, '2098-12-31T23:00:00.000Z']);
    const added = (await owner.post(`${path}/${data.id}/codes`, { codes: ['A2', 'A3'] })).data;
    assert.deepEqual([added.added, added.duplicates, added.coupon.codes_count, added.coupon.revision], [1, 1, 3, 2]);
    const made = (await owner.post(`${path}/${data.id}/generate`, { count: 10_000, prefix: 'SPRING-', length: 8 })).data;
    assert.deepEqual([made.added, made.coupon.codes_left], [10_000, 10_003]);
    assert.deepEqual((await owner.get(`${path}/${data.id}`)).data, made.coupon);
  });

  await t.test('take at most 10,000 codes in a request, and 100,000 in all', async () => {
    const { data } = await create();
    const many = (from: number, count: number) => ({ codes: Array.from({ length: count }, (_, index) => `C${from + index}`) });
    assert.equal((await owner.post(`${path}/${data.id}/codes`, many(0, 10_001))).status, 400);
    for (let from = 0; from < 100_000; from += 10_000)
      assert.equal((await owner.post(`${path}/${data.id}/codes`, many(from, 10_000))).status, 200);
    const refused = await owner.post(`${path}/${data.id}/codes`, many(100_000, 1));
    assert.deepEqual([refused.status, refused.error.details[0].code], [409, 'too_many_codes']);
    assert.equal((await owner.get(`${path}/${data.id}`)).data.codes_left, 100_000);
    assert.equal((await owner.delete(`${path}/${data.id}`)).status, 200);
  });

  await t.test('count codes exactly that two requests add at once', async () => {
    const { data } = await create();
    const added = await Promise.all([0, 1, 2].map((from) => owner.post(`${path}/${data.id}/codes`, { codes: ['X', `Y${from}`] })));
    assert.deepEqual(
      added.map(({ data: { added, duplicates } }) => added + duplicates),
      [2, 2, 2],
    );
    const { codes_count, codes_left } = (await owner.get(`${path}/${data.id}`)).data;
    assert.deepEqual([codes_count, codes_left], [4, 4]);
  });

  await t.test('that are not single use have one code', async () => {
    const { data } = await create({ single_use: false, codes: ['SPRING10'] });
    assert.deepEqual([data.single_use, data.codes_count, data.codes_left], [false, 1, null]);
    assert.equal((await owner.post(`${path}/${data.id}/codes`, { codes: ['OTHER'] })).error.details[0].code, 'too_many_codes');
    assert.equal((await create({ single_use: false })).error.details[0].code, 'one_code');
  });

  await t.test('change their description and expiry, but not their name', async () => {
    const { data } = await create({ codes: ['A'] });
    const changed = (await owner.put(`${path}/${data.id}`, { ...data, description: 'For spring' })).data;
    assert.deepEqual([changed.description, changed.revision], ['For spring', 2]);
    assert.equal((await owner.put(`${path}/${data.id}`, {}, { 'if-match': '"1"' })).status, 412);
    assert.equal((await owner.put(`${path}/${data.id}`, { name: 'other' })).status, 400);
    const taken = await owner.post(path, { name: data.name });
    assert.deepEqual([taken.status, taken.error.details[0].existing_id], [409, data.id]);
  });

  await t.test('are checked when an email is written, with the nearest name', async () => {
    const own = testClient(app);
    await own.post(path, { name: 'spring_sale', codes: ['A'] });
    await owner.post(path, { name: 'of_the_others', codes: ['A'] });
    const email = (html: string) => own.post('/v2/campaigns', { ...smallest, html });
    assert.equal((await email('<p>{{ coupon.spring_sale }}</p>')).status, 201);
    const { error } = await email('<p>\n{{ coupon.spring_sal }}</p>');
    assert.deepEqual([error.details[0].path, error.details[0].code, error.details[0].line], ['/html', 'unknown_coupon', 2]);
    assert.match(error.message, /Did you mean "spring_sale"\?/);
    assert.equal((await email('{{ coupon.of_the_others }}')).error.details[0].code, 'unknown_coupon');
    assert.equal((await email('{{ coupon }}')).error.details[0].code, 'unknown_field');
    assert.equal((await email('{{ coupon[contact.first_name] }}')).error.details[0].code, 'unknown_field');
    await own.post(path, { name: 'autumn', codes: ['B'] });
    assert.equal((await email('{{ coupon.spring_sale }}{{ coupon.autumn }}')).error.details[0].code, 'several_coupons');
    const mjml = '<mjml><mj-body><mj-section><mj-column>\n<mj-text>{{ coupon.winter }}</mj-text></mj-column></mj-section></mj-body></mjml>';
    const wrong = (await own.post('/v2/campaigns/templates', { name: 'MJML', subject: 'Hi', mjml })).error.details[0];
    assert.deepEqual([wrong.path, wrong.code, wrong.line], ['/mjml', 'unknown_coupon', 2]);
    const preview = await own.post('/v2/campaigns/preview', { html: '<p>{{ coupon.spring_sale }}</p>' });
    assert.match(preview.data.html, /COUPON-CODE/);
    const { items } = (await own.get(`${path}?sort=name`)).data;
    assert.deepEqual(
      items.map(({ name, codes_left }: { name: string; codes_left: number }) => [name, codes_left]),
      [
        ['autumn', 1],
        ['spring_sale', 1],
      ],
    );
  });

  await t.test('cannot be deleted while a template or a draft uses them', async () => {
    const { data } = await create({ codes: ['A'] });
    const template = (await owner.post('/v2/campaigns/templates', { name: 'Voucher', html: `{{ coupon.${data.name} }}` })).data;
    const campaign = (await owner.post('/v2/campaigns', { ...smallest, html: `{{ coupon["${data.name}"] }}` })).data;
    for (const user of [`/v2/campaigns/${campaign.id}`, `/v2/campaigns/templates/${template.id}`]) {
      const refused = await owner.delete(`${path}/${data.id}`);
      assert.deepEqual([refused.status, user.endsWith(refused.error.details[0].existing_id)], [409, true]);
      await owner.delete(user);
    }
    assert.deepEqual((await owner.delete(`${path}/${data.id}`)).data, { id: data.id, deleted: true });
    assert.equal((await owner.get(`${path}/${data.id}`)).status, 404);
  });
});

test('guarantees of the coupon routes', async (t) => {
  const { app } = await testService(t, await testParts(t, 'campaigns'), routesOnly());
  const coupon = async (client: ReturnType<typeof testClient>) => `${path}/${(await client.post(path, { name: newName() })).data.id}`;
  const under = (part: string) => async (client: ReturnType<typeof testClient>) => `${await coupon(client)}${part}`;
  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: () => path });
  await guaranteeRoute(t, app, { method: 'POST', scope: 'campaigns:write', url: () => path, body: { name: 'spring' } });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: coupon });
  await guaranteeRoute(t, app, { method: 'PUT', scope: 'campaigns:write', url: coupon, body: { description: 'Other' } });
  await guaranteeRoute(t, app, { method: 'DELETE', scope: 'campaigns:write', url: coupon });
  await guaranteeRoute(t, app, { method: 'POST', scope: 'campaigns:write', url: under('/codes'), body: { codes: ['A'] } });
  await guaranteeRoute(t, app, { method: 'POST', scope: 'campaigns:write', url: under('/generate'), body: { count: 1 } });
});
