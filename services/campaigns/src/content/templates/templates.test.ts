import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { routesOnly, smallest } from '../../../test/setting.ts';

const path = '/v2/campaigns/templates';
const mjml = (content: string) => `<mjml><mj-body><mj-section><mj-column>\n${content}\n</mj-column></mj-section></mj-body></mjml>`;

test('templates', async (t) => {
  const { app } = await testService(t, await testParts(t, 'campaigns'), routesOnly());
  const owner = testClient(app);
  const create = async (body: object) => owner.post(path, { name: `Template ${Math.random()}`, html: '<p>Hi</p>', ...body });

  await t.test('keep their MJML and return the HTML compiled from it', async () => {
    const source = mjml('<mj-text>Hi {{ contact.first_name }}, {{ data.order }}</mj-text>');
    const { status, data, headers } = await create({ html: undefined, mjml: source, subject: 'Hi', design: { blocks: [1] } });
    assert.deepEqual(
      [status, headers.location, data.mjml, data.version, data.design],
      [201, `${path}/${data.id}`, source, 1, { blocks: [1] }],
    );
    assert.match(data.html, /Hi \{\{ contact\.first_name \}\}/);
    const { warnings, ...shown } = data;
    assert.deepEqual([(await owner.get(`${path}/${data.id}`)).data, warnings], [shown, []]);
    const { status: put, data: same } = await owner.put(`${path}/${data.id}`, data);
    assert.deepEqual([put, same], [200, data], 'a response of GET can be sent back');
  });

  await t.test('report errors with the part, line and column', async () => {
    const wrong: [object, string, string, number | null][] = [
      [{ html: '<p>\n{{ contact.nam }}</p>' }, '/html', 'unknown_field', 2],
      [{ html: undefined, mjml: mjml('<mj-txt>a</mj-txt>') }, '/mjml', 'invalid_mjml', 2],
      [{ subject: '{% if %}' }, '/subject', 'invalid_template', 1],
    ];
    for (const [body, at, code, line] of wrong) {
      const { status, error } = await create(body);
      assert.deepEqual([status, error.details[0].path, error.details[0].code, error.details[0].line], [400, at, code, line]);
    }
    for (const body of [{ html: undefined }, { html: 'own', mjml: mjml('<mj-text>a</mj-text>') }])
      assert.deepEqual((await create(body)).error.details[0].path, '/html');
  });

  await t.test('add a version for each change of the content, and for nothing else', async () => {
    const { data } = await create({ html: '<p>1</p>' });
    const url = `${path}/${data.id}`;
    const renamed = (await owner.put(url, { description: 'For the shop' })).data;
    assert.deepEqual([renamed.version, renamed.revision], [1, 2]);
    assert.deepEqual((await owner.put(url, {})).data, renamed);
    assert.equal((await owner.put(url, { html: '<p>2</p>' }, { 'if-match': '"1"' })).status, 412);
    const second = (await owner.put(url, { html: '<p>2</p>' })).data;
    assert.deepEqual([second.version, second.revision], [2, 3]);
    const { items } = (await owner.get(`${url}/versions`)).data;
    assert.deepEqual(
      items.map(({ version, html }: { version: number; html: string }) => [version, html]),
      [
        [2, '<p>2</p>'],
        [1, '<p>1</p>'],
      ],
    );
    const { data: first } = await owner.get(`${url}/versions?limit=1`);
    assert.equal((await owner.get(`${url}/versions?limit=1&cursor=${first.pagination.next_cursor}`)).data.items[0].version, 1);
  });

  await t.test('have unique names, are listed without content, and are duplicated', async () => {
    const own = testClient(app);
    const { data } = await own.post(path, { name: 'News', html: '<p>News</p>' });
    const taken = await own.post(path, { name: 'News', html: '<p>News</p>' });
    assert.deepEqual([taken.status, taken.error.code, taken.error.details[0].existing_id], [409, 'CONFLICT', data.id]);
    const copy = await own.post(`${path}/${data.id}/duplicate`, { name: 'News 2' });
    assert.deepEqual([copy.status, copy.data.html, copy.data.version], [201, data.html, 1]);
    const listed = (await own.get(`${path}?sort=name&include=total_count`)).data;
    assert.deepEqual([listed.items.map(({ name }: { name: string }) => name), listed.pagination.total_count], [['News', 'News 2'], 2]);
    assert.ok(!('html' in listed.items[0]));
  });

  await t.test('are rendered with sample fields, data and responses, as they are or as they were at a time', async () => {
    const { data } = await create({ subject: 'Order {{ data.order }}', html: '<p>{{ contact.first_name }} {{ data.total }}</p>' });
    const preview = await owner.post(`${path}/${data.id}/preview`, { sample: { first_name: 'Ada' }, data: { order: 7, total: '<1>' } });
    assert.equal(preview.data.subject, 'Order 7');
    assert.match(preview.data.html, /Ada &lt;1&gt;/);

    const url = `${path}/${data.id}`;
    const [{ created_at }] = (await owner.get(`${url}/versions`)).data.items;
    await owner.put(url, { subject: 'Score {{ responses.score.value }}' });
    const subject = async (body: object) => (await owner.post(`${url}/preview`, body)).data.subject;
    assert.equal(await subject({ responses: { score: { value: 70 } } }), 'Score 70');
    assert.equal(await subject({ data: { order: 7 }, as_of: created_at }), 'Order 7');
    const before = await owner.post(`${url}/preview`, { as_of: '2020-01-01T00:00:00Z' });
    assert.deepEqual([before.status, before.error.code], [404, 'NOT_FOUND']);
  });

  await t.test('cannot be deleted while a draft uses them', async () => {
    const { data } = await create({ subject: 'Hi' });
    const { html: _, subject: __, ...others } = smallest;
    const draft = (await owner.post('/v2/campaigns', { ...others, template_id: data.id })).data;
    const refused = await owner.delete(`${path}/${data.id}`);
    assert.deepEqual([refused.status, refused.error.details[0].existing_id], [409, draft.id]);
    await owner.delete(`/v2/campaigns/${draft.id}`);
    assert.deepEqual((await owner.delete(`${path}/${data.id}`)).data, { id: data.id, deleted: true });
    assert.equal((await owner.get(`${path}/${data.id}`)).status, 404);
  });

  await t.test('are not deleted while a campaign that uses them is unscheduled, or leave their content to it', async () => {
    const { html: _, ...others } = smallest;
    const rounds = Array.from({ length: 20 }, async () => {
      const template = `${path}/${(await create({})).data.id}`;
      const { id } = (await owner.post('/v2/campaigns', { ...others, template_id: template.slice(path.length + 1) })).data;
      const campaign = `/v2/campaigns/${id}`;
      await owner.post(`${campaign}/send`, { schedule_at: new Date(Date.now() + 3_600_000).toISOString() });
      await Promise.all([owner.post(`${campaign}/unschedule`), owner.delete(template)]);
      const { status, html, template_id } = (await owner.get(campaign)).data;
      const kept = { status, html, template_id, exists: (await owner.get(template)).status === 200 };
      assert.ok(kept.status === 'draft' && (template_id === null ? html === '<p>Hi</p>' : kept.exists), JSON.stringify(kept));
    });
    await Promise.all(rounds);
  });
});

test('guarantees of the template routes', async (t) => {
  const { app } = await testService(t, await testParts(t, 'campaigns'), routesOnly());
  const body = { name: 'Template', html: '<p>Hi</p>' };
  const template = async (client: ReturnType<typeof testClient>) =>
    `${path}/${(await client.post(path, { ...body, name: `Template ${Math.random()}` })).data.id}`;
  const under = (part: string) => async (client: ReturnType<typeof testClient>) => `${await template(client)}${part}`;
  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: () => path });
  await guaranteeRoute(t, app, { method: 'POST', scope: 'campaigns:write', url: () => path, body });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: template });
  await guaranteeRoute(t, app, { method: 'PUT', scope: 'campaigns:write', url: template, body: { name: 'Other' } });
  await guaranteeRoute(t, app, { method: 'DELETE', scope: 'campaigns:write', url: template });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: under('/versions') });
  await guaranteeRoute(t, app, { method: 'POST', scope: 'campaigns:write', url: under('/duplicate'), body: { name: 'Copy' } });
  await guaranteeRoute(t, app, { method: 'POST', scope: 'campaigns:read', url: under('/preview'), body: {} });
});
