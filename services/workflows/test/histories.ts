import type { EventEnvelope } from '@mp/contracts/event';
import { MessageBounced, MessageClicked } from '@mp/contracts/events/campaigns';
import { ContactCreated, ContactDeleted, ContactUpdated, FormConfirmed, FormSubmitted } from '@mp/contracts/events/contacts';
import { EventAttributed, EventTracked } from '@mp/contracts/events/leadpulse';
import { MembershipEntered, MembershipLeft } from '@mp/contracts/events/segments';
import { type AccountId, type ContactId, type FormId, newId, type SegmentId } from '@mp/ids';
import { anEvent } from '@mp/test-kit/an-event';
import fc from 'fast-check';
import { contactOf } from './setting.ts';

const contacts = 4;
const which = { account: fc.nat(1), contact: fc.nat(contacts - 1), again: fc.boolean() };
const revision = fc.integer({ min: 1, max: 9 });

/** What happens in two accounts, in order: late revisions, merges and what is published twice included. */
export const history = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ ...which, type: fc.constant('created' as const), revision }) },
    {
      weight: 6,
      arbitrary: fc.record({
        ...{ ...which, type: fc.constant('updated' as const), revision, chain: fc.option(fc.nat(2)) },
        changed: fc.subarray(['company', 'tags', 'timezone', 'last_seen_at']),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        ...{ ...which, type: fc.constantFrom('entered' as const, 'left' as const), segment: fc.nat(1) },
        cause: fc.constantFrom('contact' as const, 'contact' as const, 'backfill' as const),
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        ...{ ...which, type: fc.constantFrom('tracked' as const, 'attributed' as const), minutes: fc.integer({ min: -100, max: 0 }) },
        ...{ name: fc.constantFrom('order', 'gone'), total: fc.nat(12), bot: fc.boolean(), known: fc.boolean() },
      }),
    },
    { weight: 3, arbitrary: fc.record({ ...which, type: fc.constantFrom('clicked' as const, 'bounced' as const), machine: fc.boolean() }) },
    {
      weight: 4,
      arbitrary: fc.record({
        ...{ ...which, type: fc.constantFrom('submitted' as const, 'confirmed' as const), form: fc.nat(1) },
        minutes: fc.integer({ min: -100, max: 0 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ ...which, type: fc.constant('deleted' as const), revision, into: fc.option(fc.nat(contacts - 1)) }),
    },
  ),
  { minLength: 10, maxLength: 60 },
);
type Happened = Parameters<Parameters<typeof history.map>[0]>[0][number];

export type World = {
  accounts: AccountId[];
  contacts: ContactId[][];
  segments: readonly [SegmentId, SegmentId];
  forms: readonly [FormId, FormId];
  now: Date;
};

export const newWorld = (now: Date): World => ({
  accounts: [newId('account'), newId('account')],
  contacts: [0, 1].map(() => Array.from({ length: contacts }, () => newId('contact'))),
  segments: [newId('segment'), newId('segment')],
  forms: [newId('form'), newId('form')],
  now,
});

/**
 * The events of a history in stages, in order. Those of a stage may take effect in any order that keeps the order of each contact: a
 * deletion or a merge has a stage of its own, and of contacts that were ever merged, a stage has events of one.
 */
export function stagesOf({ accounts, contacts, segments, forms, now }: World, happened: readonly Happened[]): EventEnvelope[][] {
  const stages: EventEnvelope[][] = [[]];
  const person = new Map<ContactId, ContactId>();
  const ofPerson = (id: ContactId): ContactId => {
    const other = person.get(id);
    return other === undefined || other === id ? id : ofPerson(other);
  };
  let chosen = new Map<ContactId, ContactId>();
  for (const one of happened) {
    const [accountId, given] = [accounts[one.account], contacts[one.account]?.[one.contact]];
    if (accountId === undefined || given === undefined) continue;
    const contactId = chosen.get(ofPerson(given)) ?? given;
    if (one.type === 'deleted') {
      const into = one.into === null ? undefined : contacts[one.account]?.[one.into];
      if (into === given) continue;
      if (into !== undefined) person.set(ofPerson(given), ofPerson(into));
      const merged = into === undefined ? {} : { merged_into: into };
      stages.push([anEvent(ContactDeleted, accountId, { contact_id: given, revision: one.revision, ...merged })], []);
      chosen = new Map();
      continue;
    }
    chosen.set(ofPerson(given), contactId);
    const event = { ...eventOf(one, { accountId, contactId, segments, forms, now }), time: now.toISOString() };
    stages.at(-1)?.push(...(one.again ? [event, event] : [event]));
  }
  return stages;
}

type Setting = Pick<World, 'segments' | 'forms' | 'now'> & { accountId: AccountId; contactId: ContactId };

function eventOf(one: Exclude<Happened, { type: 'deleted' }>, { accountId, contactId, segments, forms, now }: Setting): EventEnvelope {
  const at = now.toISOString();
  switch (one.type) {
    case 'created':
      return anEvent(ContactCreated, accountId, { contact: contactOf({ id: contactId, email: 'c@example.com', revision: one.revision }) });
    case 'updated': {
      const contact = contactOf({ id: contactId, email: `r${one.revision}@example.com`, revision: one.revision });
      const updated = anEvent(ContactUpdated, accountId, { contact, changed: one.changed });
      return one.chain === null ? updated : { ...updated, correlation_id: `run_${'0'.repeat(26)}:${one.chain}` };
    }
    case 'entered':
    case 'left': {
      const segment_id = one.segment === 0 ? segments[0] : segments[1];
      const membership = { segment_id, segment_name: 'S', contact_id: contactId, sequence: 1, at, cause: one.cause };
      return anEvent(one.type === 'entered' ? MembershipEntered : MembershipLeft, accountId, membership);
    }
    case 'tracked':
    case 'attributed':
      return anEvent(one.type === 'tracked' ? EventTracked : EventAttributed, accountId, {
        ...{ event_id: newId('activity'), event: one.name, visitor_id: null, contact_id: one.known ? contactId : null, bot: one.bot },
        ...{ time: new Date(now.getTime() + one.minutes * 60_000).toISOString(), properties: { total: one.total }, value: null },
      });
    case 'submitted':
    case 'confirmed': {
      const form = { form_id: one.form === 0 ? forms[0] : forms[1], form_name: 'F', form_version: 1, contact_id: contactId, consents: [] };
      const happenedAt = new Date(now.getTime() + one.minutes * 60_000).toISOString();
      if (one.type === 'confirmed')
        return anEvent(FormConfirmed, accountId, { ...form, opt_in_id: newId('optIn'), submitted_at: happenedAt, at: happenedAt });
      const submission = { submission_id: newId('submission'), is_new: false, awaits_confirmation: true, page: null };
      return anEvent(FormSubmitted, accountId, { ...form, ...submission, at: happenedAt });
    }
    case 'clicked':
    case 'bounced': {
      const message = { recipient_id: 'recipient', contact_id: contactId, campaign_id: 'campaign_1', workflow_id: null, at };
      if (one.type === 'bounced') return anEvent(MessageBounced, accountId, { ...message, hard: one.machine, reason: 'No such user' });
      return anEvent(MessageClicked, accountId, { ...message, url: 'https://example.com/', machine: one.machine });
    }
  }
}
