import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contactRow } from './contact-rows.ts';
import { idsIn, inOrder, kindOf, replaced, resourceOf } from './resources.ts';

const id = (kind: string, letter: string) => `${kind}_${letter.repeat(26)}`;
const [a, b, c] = [id('segment', 'a'), id('segment', 'b'), id('campaign', 'c')];

function resource(kind: string, row: Record<string, unknown>, exported: readonly string[] = []) {
  const of = kindOf(kind);
  assert.ok(of);
  return resourceOf(of, row, new Set(exported));
}

test('IDs and URLs are replaced wherever they are, including in Liquid and HTML, and nothing else is', () => {
  const image = 'https://old.example/t/images/1';
  const known = new Map([
    [a, b],
    [image, 'https://new.example/$&/2'],
  ]);
  const body = { audience: [a, c], html: `<img src="${image}">{% if x == "${a}" %}`, text: `${a}x`, one: 1 };
  assert.deepEqual(replaced(body, known), {
    ...{ audience: [b, c], html: `<img src="https://new.example/$&/2">{% if x == "${b}" %}`, text: `${a}x`, one: 1 },
  });
  assert.deepEqual(idsIn(`${a} ${c} segment_short`), [a, c]);
});

test('a resource comes after what it refers to, and those in a circle come last rather than never', () => {
  const all = [
    resource('campaigns', { id: c, name: 'C', audience: { include: [b] } }),
    resource('segments', { id: b, name: 'B', kind: 'dynamic', definition: { segment: a } }),
    resource('segments', { id: a, name: 'A', kind: 'static', definition: null }),
  ];
  assert.deepEqual(
    inOrder(all).map(({ name }) => name),
    ['A', 'B', 'C'],
  );
  const circle = [
    resource('segments', { id: a, name: 'A', definition: { segment: b } }),
    resource('segments', { id: b, name: 'B', definition: { segment: a } }),
    resource('segments', { id: id('segment', 'd'), name: 'D', definition: {} }),
  ];
  assert.deepEqual(
    inOrder(circle).map(({ name }) => name),
    ['D', 'A', 'B'],
  );
});

test('workflows become drafts and webhooks are disabled, whatever their status was', () => {
  assert.equal(resource('workflows', { id: 'w', name: 'W', status: 'active', trigger: {}, steps: [] }).body.status, 'draft');
  assert.equal(resource('webhooks', { id: 'h', url: 'https://x.example', status: 'active', events: ['*'] }).body.status, 'disabled');
});

test('content that comes from MJML or a template is not sent, and that of a template that is gone is', () => {
  const template = id('template', 't');
  const row = { id: c, name: 'C', template_id: template, overrides: ['subject'], subject: 'S', html: '<p>', mjml: null, audience: {} };
  assert.deepEqual(Object.keys(resource('campaigns', row, [template]).body).sort(), [
    'audience',
    'name',
    'overrides',
    'subject',
    'template_id',
  ]);
  assert.deepEqual(Object.keys(resource('campaigns', row).body).sort(), ['audience', 'html', 'name', 'subject']);
  assert.deepEqual(Object.keys(resource('templates', { id: template, name: 'T', html: '<p>', mjml: '<mjml>' }).body), ['name', 'mjml']);
});

test('a contact keeps its consent with evidence, no cleared consent, and when it was created the first time', () => {
  const said = { status: 'subscribed', at: '2024-03-01T10:00:00.000Z', evidence: { source: 'Fair' } };
  const row = contactRow({
    ...{ id: 'contact_1', status: 'active', email: 'a@example.com', phone: null, created_at: '2024-01-01T00:00:00.000Z' },
    consent: { email: said, sms: null, topics: { news: { email: null, sms: null }, offers: { email: said, sms: null } } },
    attributes: { plan: 'pro' },
  });
  assert.deepEqual(row, {
    email: 'a@example.com',
    attributes: { original_created_at: '2024-01-01T00:00:00.000Z', plan: 'pro' },
    consent: { email: said, topics: { offers: { email: said } } },
  });
  const again = contactRow({ created_at: '2025-01-01T00:00:00.000Z', attributes: { original_created_at: '2024-01-01T00:00:00.000Z' } });
  assert.deepEqual(again.attributes, { original_created_at: '2024-01-01T00:00:00.000Z' });
  const full = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`k${index}`, index]));
  assert.equal(Object.keys(Object(contactRow({ created_at: 'x', attributes: full }).attributes)).length, 200);
});

test('hostile rows: prototype names, wrong types and missing fields are data, and cost nothing', () => {
  const row = JSON.parse(
    '{"id": {}, "name": 7, "__proto__": {"isArchived": true}, "definition": "x", "overrides": "y", "template_id": []}',
  );
  const { body, isArchived } = resource('campaigns', row);
  assert.deepEqual([isArchived, Object.getPrototypeOf(body) === Object.prototype], [false, true]);
  assert.deepEqual(contactRow(JSON.parse('{"consent": [1], "attributes": "x", "created_at": 5}')), { attributes: {}, consent: {} });
  const long = `${'segment_'.repeat(50_000)}${a}`;
  const before = process.cpuUsage();
  replaced({ long }, new Map([[a, b]]));
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 5_000_000, `${user + system} µs of CPU`);
});
