import { eventually, ok, type World } from './world.ts';

export const people = 120;
export const emailOf = (index: number) => `c${index}@people.example`;

/** Contacts in every state, attributes of every type, finished jobs of every kind, and segments. Returns the contact IDs. */
export async function prepareContacts({ client, manifest }: World): Promise<string[]> {
  const contacts = Array.from({ length: people }, (_, index) => ({
    ...{ email: emailOf(index), external_id: `crm-${index}`, first_name: `Çağla ${index}`, last_name: 'Müller', tags: ['people'] },
    address: { city: index % 3 === 0 ? 'Berlin' : 'Paris', country: 'DE' },
    timezone: 'Europe/Berlin',
    attributes: {
      plan: index % 2 === 0 ? 'pro' : 'free',
      seats: index,
      trial: index % 5 === 0,
      renewal: '2031-03-01',
      colours: ['red', 'blue'],
    },
  }));
  const { results } = await ok(client.post('/v2/contacts/batch', { contacts }));
  const ids: string[] = results.map(({ id }: { id: string }) => id);

  const segment = (body: object) => ok(client.post('/v2/segments', body));
  const berlin = await segment({ name: 'Berlin', definition: { all: [{ field: 'address.city', op: 'eq', value: 'Berlin' }] } });
  const ordered = await segment({ name: 'Ordered', definition: { event: 'ordered', count: { gte: 1 } } });
  const clicked = await segment({ name: 'Clicked', definition: { campaign: 'any', activity: 'clicked' } });
  const large = await segment({
    name: 'Large teams that paid',
    definition: {
      all: [
        { field: 'attributes.seats', op: 'gte', value: 60 },
        { field: 'attributes.plan', op: 'eq', value: 'pro' },
      ],
    },
  });
  const fair = await segment({ name: 'Trade fair', kind: 'static' });
  const receivers = await segment({ name: 'Receivers', kind: 'static' });
  const archived = await segment({ name: 'Archived', kind: 'static' });
  await ok(client.post(`/v2/segments/${archived.id}/contacts`, { contacts: [{ id: ids[0] }] }));
  await ok(client.post(`/v2/segments/${archived.id}/archive`));
  await ok(client.post(`/v2/segments/${fair.id}/contacts`, { contacts: [{ id: ids[118] }, { id: ids[119] }] }));
  await ok(client.post(`/v2/segments/${receivers.id}/contacts`, { contacts: ids.slice(0, 60).map((id) => ({ id })) }));

  const create = (email: string, more: object = {}) => ok(client.post('/v2/contacts', { email, ...more }));
  const [survivor, source] = [await create('survivor@people.example'), await create('source@people.example', { last_name: 'Merged' })];
  const merge = await ok(client.post(`/v2/contacts/${survivor.id}/merge`, { source_id: source.id }));
  const deleted = await create('deleted@people.example');
  await ok(client.delete(`/v2/contacts/${deleted.id}`));
  const erased = await create('erased@people.example');
  const erasure = await ok(client.post(`/v2/contacts/${erased.id}/erase`, { suppress: true }));
  await eventually(async () => (await ok(client.get(`/v2/contacts/erasures/${erasure.id}`))).status === 'completed');
  const evidence = { ip: '203.0.113.7', source: 'https://shop.example/newsletter', text: 'Yes, send me the newsletter.' };
  await ok(client.put(`/v2/contacts/${ids[56]}/consent`, { email: { status: 'unsubscribed', method: 'form', evidence } }));
  await ok(client.post('/v2/contacts/suppressions', { email: emailOf(57), reason: 'manual', note: 'Asked by phone.' }));

  const imported = await ok(
    client.call('POST', '/v2/contacts/imports?match_on=email', 'email,first_name\nimported@people.example,Ida\nnot an address,Ida\n', {
      'content-type': 'text/csv',
    }),
  );
  const bulk = await ok(client.post('/v2/contacts/bulk', { select: { filter: { tag: 'people' } }, action: 'add_tag', tag: 'reader' }));
  const isDone = async (path: string) => (await ok(client.get(path))).status === 'completed';
  await eventually(async () => (await isDone(`/v2/contacts/imports/${imported.id}`)) && isDone(`/v2/contacts/bulk/${bulk.id}`));

  manifest.contacts = {
    ids,
    ...{ survivor: survivor.id, source: source.id, merge: merge.merge_id, deleted: deleted.id, erased: erased.id, erasure: erasure.id },
    ...{ unsubscribed: ids[56], suppressed: ids[57], import: imported.id, bulk: bulk.id },
  };
  manifest.segments = {
    ...{ berlin: berlin.id, ordered: ordered.id, clicked: clicked.id, large: large.id, fair: fair.id },
    ...{ receivers: receivers.id, archived: archived.id },
  };
  return ids;
}
