import type { TestContext } from 'node:test';
import { type Contact, emailKey } from '@mp/contracts/contact';
import type { EventType } from '@mp/contracts/event';
import { ContactCreated, ContactDeleted, ContactUpdated } from '@mp/contracts/events/contacts';
import type { Position } from '@mp/contracts/position';
import { AttributeTypesOf, ContactsFind, ContactsPage, ContactsSuppressed } from '@mp/contracts/requests/contacts';
import { positionRequests } from '@mp/contracts/requests/positions';
import { SegmentMembersPage, SegmentsCaughtUp, SegmentsExist } from '@mp/contracts/requests/segments';
import { streams } from '@mp/contracts/streams';
import { type AccountId, newId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import { testParts } from '@mp/test-kit/test-parts';
import type { z } from 'zod';

type CaughtUp = z.input<typeof SegmentsCaughtUp.reply>;
type Kept = { accountId: AccountId; contact: Contact };

export type Neighbours = Awaited<ReturnType<typeof startNeighbours>>;

/** A test double for the contacts and segments services: it replies to their requests and publishes their events over the real broker. */
export async function startNeighbours(t: TestContext) {
  const { broker } = await testParts(t, 'contacts');
  const kept = new Map<string, Kept>();
  const segments = new Map<string, { accountId: AccountId; members: string[]; failed?: boolean; archived?: boolean }>();
  const suppressed = new Set<string>();
  const attributes = new Set<string>();
  broker.start();

  const of = (accountId: AccountId) =>
    [...kept.values()]
      .filter((one) => one.accountId === accountId)
      .map(({ contact }) => contact)
      .sort((a, b) => (a.id < b.id ? -1 : 1));

  const audience = {
    pages: 0,
    beforePage: async () => {},
    position: async (_: { account_id?: AccountId; mark: string | null }): Promise<{ position: Position | null; mark: string | null }> => ({
      position: await broker.position(streams.contacts),
      mark: null,
    }),
    caughtUp: (_: readonly Position[]): CaughtUp => ({ state: 'caught_up', as_of: new Date().toISOString() }),
  };

  await broker.reply(ContactsPage, async ({ account_id, after, limit }) => {
    audience.pages += 1;
    await audience.beforePage();
    const contacts = of(account_id)
      .filter(({ id }) => after === null || id > after)
      .slice(0, limit);
    return { contacts, next: contacts.length === limit ? (contacts.at(-1)?.id ?? null) : null };
  });
  await broker.reply(ContactsFind, async ({ account_id, ids, emails }) => ({
    contacts: of(account_id).filter(({ id, email }) => ids.includes(id) || (email !== null && emails.includes(emailKey(email)))),
  }));
  await broker.reply(ContactsSuppressed, async ({ account_id, emails }) => ({
    suppressed: emails.filter((email) => suppressed.has(`${account_id} ${email}`)).map((email) => ({ email, reason: 'manual' as const })),
  }));
  await broker.reply(AttributeTypesOf, async ({ account_id, keys }) => ({
    types: Object.fromEntries(keys.flatMap((key) => (attributes.has(`${account_id} ${key}`) ? [[key, 'string' as const]] : []))),
  }));
  await broker.reply(SegmentsExist, async ({ account_id, segment_ids }) => ({
    missing: segment_ids.filter((id) => segments.get(id)?.accountId !== account_id),
    archived: segment_ids.filter((id) => segments.get(id)?.archived),
    failed: segment_ids.filter((id) => segments.get(id)?.failed),
    sources: ['contacts' as const],
  }));
  await broker.reply(positionRequests.contacts, (asking) => audience.position(asking));
  await broker.reply(SegmentsCaughtUp, async ({ positions }) => audience.caughtUp(positions));
  await broker.reply(SegmentMembersPage, async ({ account_id, segment_ids, after, limit }) => {
    const found = segment_ids.flatMap((id) => {
      const segment = segments.get(id);
      if (segment?.failed) throw new Error('It could not be built.');
      return segment?.accountId === account_id ? segment.members : [];
    });
    const members = [...new Set(found)].sort().filter((id) => after === null || id > after);
    const contact_ids = members.slice(0, limit);
    return { contact_ids, next: members.length > limit ? (contact_ids.at(-1) ?? null) : null };
  });

  async function publish<Data extends z.ZodType>(event: EventType<Data>, accountId: AccountId, data: z.input<Data>) {
    const id = newId('event');
    const envelope = {
      id,
      type: event.type,
      version: event.version,
      time: new Date().toISOString(),
      account_id: accountId,
      correlation_id: 'test',
      causation_id: null,
      producer: 'test',
      data: event.data.parse(data),
    };
    await broker.publish(event.subject, JSON.stringify(envelope), id);
  }

  return {
    publish,
    /** The account has had a contact with this attribute. */
    attribute: (accountId: AccountId, key: string) => void attributes.add(`${accountId} ${key}`),
    /** The requests for pages of contacts (`pages`), a wait before each reply (`beforePage`), and the replies to position requests. */
    audience,

    suppress: (accountId: AccountId, email: string) => suppressed.add(`${accountId} ${email}`),

    /** Adds a contact to the contacts service without publishing its event. */
    contact(accountId: AccountId, members: Partial<Contact> = {}): Contact {
      const contact = newContact(members);
      kept.set(contact.id, { accountId, contact });
      return contact;
    },

    contacts(accountId: AccountId, count: number, members: (index: number) => Partial<Contact> = () => ({})): Contact[] {
      return Array.from({ length: count }, (_, index) => this.contact(accountId, { email: `p${index}@example.com`, ...members(index) }));
    },

    publishCreated: (accountId: AccountId, contact: Contact) => publish(ContactCreated, accountId, { contact }),

    async change(accountId: AccountId, before: Contact, members: Partial<Contact>): Promise<Contact> {
      const contact = { ...before, ...members, revision: before.revision + 1 };
      kept.set(contact.id, { accountId, contact });
      await publish(ContactUpdated, accountId, { contact, changed: Object.keys(members) });
      return contact;
    },

    async remove(accountId: AccountId, { id, revision }: Contact) {
      kept.delete(id);
      await publish(ContactDeleted, accountId, { contact_id: id, revision: revision + 1 });
    },

    segment(accountId: AccountId, members: readonly Contact[]): string {
      const id = newId('segment');
      segments.set(id, { accountId, members: members.map((contact) => contact.id) });
      return id;
    },

    enter(id: string, contact: Contact) {
      segments.get(id)?.members.push(contact.id);
    },

    /** Marks the segment as failed to build, or as built again. */
    failSegment(id: string, failed = true) {
      const segment = segments.get(id);
      if (segment) segment.failed = failed;
    },

    archiveSegment(id: string) {
      const segment = segments.get(id);
      if (segment) segment.archived = true;
    },

    removeSegment: (id: string) => segments.delete(id),
  };
}

export const subscribed = (at = '2026-01-01T00:00:00.000Z') => ({
  email: { status: 'subscribed' as const, at, method: 'api' as const },
  sms: null,
});

export const newContact = (members: Partial<Contact> = {}): Contact =>
  aContact({ email: 'ada@example.com', first_name: 'Ada', consent: subscribed(), source: null, ...members });
