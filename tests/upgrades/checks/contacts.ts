import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../contract.ts';
import { emailOf, people } from '../scenario/contacts.ts';
import { importedRows } from '../scenario/load.ts';
import { everything, from, ok } from '../scenario/world.ts';
import { eventually, type Upgraded } from './upgraded.ts';

/** Sends the requests again that got no response, as a client does: each must take effect once, whether it had before or not. */
export async function retryUnanswered({ client, manifest }: Upgraded) {
  const { contacts, orders, changes, messages } = manifest.load;
  for (const body of contacts.unanswered) await ok(client.put('/v2/contacts?match_on=email', body));
  for (const body of orders.unanswered) await ok(client.post('/v2/leadpulse/track', body));
  for (const { contact, score } of changes.unanswered) await ok(client.put(`/v2/contacts/${contact}`, { attributes: { load: score } }));
  for (const { subject, to } of messages.unanswered) {
    const content = { subject, html: '<p>Your order</p>' };
    const key = { 'idempotency-key': subject.replace('Message ', 'message-') };
    const { id } = await ok(client.post('/v2/campaigns/messages', { from, to: { email: to }, content, category: 'transactional' }, key));
    messages.acknowledged.push({ subject, to, id });
  }
}

/** Every contact that was acknowledged exists once, with its last acknowledged values; jobs and erasures have finished. */
export async function checkContacts({ client, manifest }: Upgraded) {
  const { contacts, jobs, load } = manifest;
  const isDone = async (path: string) => (await ok(client.get(path))).status === 'completed';
  const done = [`imports/${jobs.import}`, `bulk/${jobs.bulk}`, `imports/${contacts.import}`, `bulk/${contacts.bulk}`];
  for (const path of [...done, `erasures/${jobs.erasing.id}`, `erasures/${contacts.erasure}`])
    await eventually(() => isDone(`/v2/contacts/${path}`));
  assert.equal((await ok(client.get(`/v2/contacts/imports/${jobs.import}`))).rows.created, importedRows);
  for (const gone of [jobs.erasing.contact, contacts.erased, contacts.deleted])
    assert.equal((await client.get(`/v2/contacts/${gone}`)).status, 404);

  const found: Json[] = await everything(client, '/v2/contacts');
  const written: Json[] = [...load.contacts.acknowledged, ...load.contacts.unanswered];
  const gone = new Set([jobs.erasing.contact, jobs.merging.source]);
  const expected = [
    ...Array.from({ length: people }, (_, index) => emailOf(index)).filter((_, index) => !gone.has(contacts.ids[index])),
    ...['survivor', 'imported', 'hooked0', 'hooked1', 'hooked2', 'hooked3', 'hooked4'].map((name) => `${name}@people.example`),
    ...Array.from({ length: importedRows }, (_, row) => `row${row}@import.example`),
    ...written.map(({ email }) => email),
  ];
  assert.deepEqual(found.map(({ email }) => email).sort(), [...new Set(expected)].sort());

  const byEmail = new Map(found.map((contact) => [contact.email, contact]));
  for (const { email, address, attributes } of written) {
    const contact = byEmail.get(email);
    assert.deepEqual([contact.address.city, contact.attributes.seats], [address.city, attributes.seats], email);
  }
  const loads = new Map<string, number>();
  for (const { contact, score } of [...load.changes.acknowledged, ...load.changes.unanswered]) loads.set(contact, score);
  for (const [id, score] of loads) assert.equal((await ok(client.get(`/v2/contacts/${id}`))).attributes.load, score);
  for (const [index, id] of contacts.ids.entries()) {
    const contact = byEmail.get(emailOf(index));
    if (gone.has(id)) continue;
    assert.equal(contact?.id, id);
    assert.deepEqual([contact.attributes.seats, contact.attributes.colours], [index, ['red', 'blue']]);
    assert.ok(contact.tags.includes('reader'), `${id} was changed by the first bulk job`);
    if (id !== manifest.steps.remove_tag.contact) assert.ok(contact.tags.includes('bulk'), `${id} was changed by the second bulk job`);
  }
  const statusOf = async (id: string) => (await ok(client.get(`/v2/contacts/${id}`))).status;
  assert.equal(await statusOf(contacts.unsubscribed), 'unsubscribed');
  assert.equal(await statusOf(contacts.suppressed), 'suppressed');
}

/** Every segment has exactly the members that its rule means, now that all events were applied. */
export async function checkSegments({ client, manifest }: Upgraded) {
  const { segments, load, contacts } = manifest;
  const all: Json[] = await everything(client, '/v2/contacts');
  const idsOf = (found: readonly Json[]) => found.map(({ id }) => id).sort();
  const checkMembers = async (segment: string, expected: readonly string[]) => {
    const members = async () => idsOf(await everything(client, `/v2/segments/${segment}/contacts`));
    const wanted = [...expected].sort();
    // A wrong member can leave after the last right one entered, so the number alone would not do.
    await eventually(async () => isDeepStrictEqual(await members(), wanted)).catch(async () => assert.deepEqual(await members(), wanted));
  };
  await checkMembers(segments.berlin, idsOf(all.filter(({ address }) => address?.city === 'Berlin')));
  await checkMembers(segments.large, idsOf(all.filter(({ attributes }) => attributes.seats >= 60 && attributes.plan === 'pro')));
  const buyers = new Set([...load.orders.acknowledged, ...load.orders.unanswered].map(({ email }: Json) => email));
  await checkMembers(segments.ordered, idsOf(all.filter(({ email }) => buyers.has(email))));
  await checkMembers(segments.receivers, contacts.ids.slice(0, 60));
  const clicked = new Set(manifest.campaigns.clicked);
  await checkMembers(segments.clicked, idsOf(all.filter(({ email }) => clicked.has(email))));
  const archived = await ok(client.get(`/v2/segments/${segments.archived}`));
  assert.notEqual(archived.archived_at, null);
}

/** Every event that was acknowledged counts once. */
export async function checkVisits({ client, manifest }: Upgraded) {
  const { load, leadpulse, jobs } = manifest;
  const orders = new Set([...load.orders.acknowledged, ...load.orders.unanswered].map(({ message_id }: Json) => message_id)).size;
  const counted = async (event: string) =>
    (await ok(client.get(`/v2/leadpulse/analytics?event=${encodeURIComponent(event)}`))).totals.events;
  await eventually(async () => (await counted('ordered')) >= orders);
  assert.deepEqual([await counted('ordered'), await counted('$pageview')], [orders, leadpulse.views]);
  assert.equal((await everything(client, '/v2/leadpulse/events?event=ordered')).length, orders);
  const report = await ok(client.post(`/v2/leadpulse/goals/${leadpulse.goal}/report`, {}));
  assert.equal(report.totals.conversions, orders);
  await eventually(async () => (await ok(client.get(`/v2/leadpulse/reports/${jobs.report}`))).status === 'completed');
}

/** A deleted contact can still be restored, and merges undone. */
export async function checkUndo({ client, manifest }: Upgraded) {
  const { contacts, jobs } = manifest;
  await ok(client.post(`/v2/contacts/${contacts.deleted}/restore`));
  await ok(client.post(`/v2/contacts/${contacts.survivor}/merges/${contacts.merge}/undo`));
  await ok(client.post(`/v2/contacts/${jobs.merging.survivor}/merges/${jobs.merging.merge}/undo`));
  for (const id of [contacts.deleted, contacts.source, jobs.merging.source]) await ok(client.get(`/v2/contacts/${id}`));
}
