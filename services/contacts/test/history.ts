import type { Contact } from '@mp/contracts/contact';
import { ContactEffectCompleted } from '@mp/contracts/events/contacts';
import { ContactEffectRequested } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import type { Parts } from '@mp/service-kit/service-parts';
import type { Client } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { writtenEvents } from '@mp/test-kit/written-events';
import fc from 'fast-check';
import { publishEvent } from './publish-event.ts';

/** A step of a random history. `who` and `other` are indexes of the contacts created so far. */
export type Step =
  | { do: 'create' | 'update' | 'upsert' | 'batch' | 'workflow'; who: number; email: number; phone: number; external: number; tag: number }
  | { do: 'merge' | 'delete' | 'restore' | 'undo' | 'erase'; who: number; other: number };

const few = fc.nat(3);

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'create' as const,
        'create' as const,
        'update' as const,
        'upsert' as const,
        'batch' as const,
        'workflow' as const,
      ),
      ...{ who: few, email: few, phone: few, external: few, tag: fc.nat(5) },
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('merge' as const), who: few, other: few }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('undo' as const), who: few, other: few }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('delete' as const, 'delete' as const, 'erase' as const), who: few, other: few }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restore' as const), who: few, other: few }) },
);

/** A history starts with some contacts, followed by any number of steps. */
export const story = (steps: { minLength: number; maxLength: number }): fc.Arbitrary<Step[]> =>
  fc
    .array(step, steps)
    .map((rest) => [
      { do: 'create', who: 0, email: 1, phone: 0, external: 1, tag: 3 },
      { do: 'create', who: 0, email: 2, phone: 2, external: 0, tag: 4 },
      { do: 'create', who: 0, email: 0, phone: 0, external: 2, tag: 2 },
      ...rest,
    ]);

type Members = {
  [name in 'email' | 'phone' | 'external_id' | 'first_name' | 'last_name' | 'company']?: string;
} & {
  address?: { city?: string; country?: string };
  tags?: string[];
  attributes?: Record<string, number>;
  consent?: {
    email?: { status: string };
    sms?: { status: string };
    topics?: Record<string, { email: { status: string } }>;
  };
};

const profiles: readonly Members[] = [
  {},
  { first_name: 'Ada', address: { city: 'Berlin' } },
  { last_name: 'Lovelace', consent: { topics: { constructor: { email: { status: 'subscribed' } } } } },
  { company: 'Engines', address: { country: 'DE' }, consent: { email: { status: 'unsubscribed' } } },
  { first_name: 'Zoë', consent: { sms: { status: 'pending' }, topics: { news: { email: { status: 'unsubscribed' } } } } },
  { consent: { email: { status: 'subscribed' }, sms: { status: 'unsubscribed' } } },
];

/** Only a few identifiers, so that contacts conflict. */
export const membersOf = ({ email, phone, external, tag }: Extract<Step, { email: number }>): Members => ({
  ...(email > 0 && { email: `${email === 2 ? 'P' : 'p'}${email}@example.com` }),
  ...(phone > 1 && { phone: `+493090182${phone}` }),
  ...(external > 0 && { external_id: `x${external}` }),
  ...(tag > 0 && { tags: [`t${tag}`], attributes: { [tag === 3 ? 'constructor' : `k${tag}`]: tag } }),
  ...profiles[tag],
});

/** The result of a step: the contacts it may have affected, and the expected values of the contact it targeted. */
export type Outcome = { status: number; text: string; touched: string[]; said?: { id: string; members: Members } };

export type Life = ReturnType<typeof newLife>;

/** Runs a history in one account, whatever the responses. */
export function newLife(parts: Parts, account: Client) {
  const ids: string[] = [];
  const merges: { id: string; source: string; mergeId: string }[] = [];
  const idOf = (index: number) => ids[index % Math.max(1, ids.length)] ?? 'contact_none';

  async function byWorkflow(contactId: string, members: Members): Promise<Outcome> {
    const effect_key = `${newId('run')}:1`;
    await publishEvent(parts, account.accountId, {
      event: ContactEffectRequested,
      data: {
        ...{ effect_key, run_id: effect_key.slice(0, -2), workflow_id: newId('workflow'), contact_id: contactId },
        change: { type: 'update_contact', members },
      },
    });
    const sought = { accountId: account.accountId, subject: ContactEffectCompleted.subject };
    const { envelope } = await eventually(async () =>
      (await writtenEvents(parts.mongo.db, sought)).find(({ envelope: { data } }) => data.effect_key === effect_key),
    );
    if (envelope.data.status !== 'done') return { status: 409, text: envelope.data.reason, touched: [] };
    // It may have been deleted by a concurrent step.
    const { data } = await account.get(`/v2/contacts/${contactId}`);
    return { status: 200, text: '', touched: data ? [data.id] : [], ...(data && { said: { id: data.id, members } }) };
  }

  async function take(one: Step): Promise<Outcome> {
    const id = idOf(one.who);
    if (one.do === 'workflow') return byWorkflow(id, membersOf(one));
    if (one.do === 'batch') {
      const contacts = [membersOf(one), membersOf({ ...one, email: one.phone, phone: one.email, tag: (one.tag + 1) % 6 })];
      const { status, text, data } = await account.post('/v2/contacts/batch', { match_on: 'any', contacts });
      const results: { status: string; id?: string }[] = data?.results ?? [];
      ids.push(...results.flatMap((result) => (result.status === 'created' && result.id ? result.id : [])));
      return { status, text, touched: results.flatMap((result) => result.id ?? []) };
    }
    if (one.do === 'create' || one.do === 'update' || one.do === 'upsert') {
      const [send, path] = one.do === 'create' ? [account.post, ''] : [account.put, one.do === 'update' ? `/${id}` : ''];
      const members = membersOf(one);
      const { status, text, data } = await send(`/v2/contacts${path}`, members);
      if (status === 201) ids.push(data.id);
      return { status, text, touched: data ? [data.id] : [], ...(status === 200 && { said: { id: data.id, members } }) };
    }
    if (one.do === 'delete') return { ...(await account.delete(`/v2/contacts/${id}`)), touched: [id] };
    if (one.do === 'restore') return { ...(await account.post(`/v2/contacts/${id}/restore`)), touched: [id] };
    if (one.do === 'erase') return { ...(await account.post(`/v2/contacts/${id}/erase`)), touched: [id] };
    if (one.do === 'merge') {
      const source = idOf(one.who + one.other);
      const { status, text, data } = await account.post(`/v2/contacts/${id}/merge`, { source_id: source });
      if (status === 200) merges.push({ id, source, mergeId: data.merge_id });
      return { status, text, touched: [id, source] };
    }
    const last = merges.pop();
    if (!last) return { status: 404, text: '', touched: [] };
    return { ...(await account.post(`/v2/contacts/${last.id}/merges/${last.mergeId}/undo`)), touched: [last.id, last.source] };
  }

  return { account, ids, merges, take, idOf };
}

type PublishedEvent = { subject: string; data: { contact?: Contact; contact_id?: string; revision?: number; merged_into?: string } };

/**
 * Works like every projection of contacts: the newest revision wins, even if it is a deletion, regardless of order. The id of a
 * merged contact refers to the one it was merged into, as long as its deletion is its newest known revision.
 */
export function rebuild(events: readonly PublishedEvent[]) {
  const known = new Map<string, { revision: number; contact?: Contact | undefined; mergedInto?: string | undefined }>();
  for (const { subject, data } of events) {
    if (!/contact\.(created|updated|deleted)\.v1$/.test(subject)) continue;
    const id = data.contact?.id ?? data.contact_id ?? '';
    const revision = data.contact?.revision ?? data.revision ?? 0;
    if ((known.get(id)?.revision ?? 0) < revision) known.set(id, { revision, contact: data.contact, mergedInto: data.merged_into });
  }
  const meaningOf = (id: string): string | undefined => {
    const { contact, mergedInto } = known.get(id) ?? {};
    return contact ? id : mergedInto && meaningOf(mergedInto);
  };
  const contacts = [...known.values()].flatMap(({ contact }) => contact ?? []).sort((a, b) => (a.id < b.id ? -1 : 1));
  return { contacts, meaningOf };
}

/** The published events about an account's contacts, in an order that depends on the seed. */
export async function publishedBy({ mongo }: Parts, { accountId }: Client, seed: number): Promise<PublishedEvent[]> {
  const rows = await writtenEvents(mongo.db, { accountId });
  return rows
    .map(({ subject, envelope }, index) => ({ event: { subject, data: envelope.data }, key: Math.sin(seed + index) }))
    .sort((a, b) => a.key - b.key)
    .map(({ event }) => event);
}
