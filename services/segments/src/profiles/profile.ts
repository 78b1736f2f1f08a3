import type { Contact } from '@mp/contracts/contact';
import { type ContactId, type SegmentId, trustedId } from '@mp/ids';
import { fieldReader } from '@mp/rules/contact-profile';
import { contactFields } from '@mp/rules/fields';

/** The projection of one contact. Without `contact`, its events have not arrived yet, or it is a tombstone. */
export type Profile = {
  id: ContactId;
  contact: Contact | null;
  /** The revision of the newest applied event; 0 before the first. */
  revision: number;
  deleted: boolean;
  /** The contact it was merged into; null if it was not. */
  mergedInto: ContactId | null;
  /** The static segments that a deleted contact was in, and is in again if it returns. */
  staticSegments: readonly SegmentId[];
  /** When a transaction last evaluated the contact. Later changes are never dated before it. */
  touchedAt: Date;
};

export type KnownProfile = Profile & { contact: Contact };

/** Sorts before every contact. */
export const beforeAll = trustedId<'contact'>('');

export const isKnown = (profile: Profile): profile is KnownProfile => profile.contact !== null;

const readers = Object.entries(contactFields).map(([name, type]) => ({ name, read: fieldReader({ name, type }) }));

/**
 * The fields that differ between two states of a contact, with the names rules use. Compared here rather than taken from the
 * event, because out-of-order events may skip a revision.
 */
export function changedFields(before: Contact, after: Contact): string[] {
  const fields = readers.filter(({ read }) => !same(read(before), read(after))).map(({ name }) => name);
  const keys = new Set([...Object.keys(before.attributes), ...Object.keys(after.attributes)]);
  const attributes = [...keys].filter((key) => !same(before.attributes[key], after.attributes[key])).map((key) => `attributes.${key}`);
  return [...fields, ...attributes, ...changedTopics(before.consent.topics ?? {}, after.consent.topics ?? {})];
}

type Topics = NonNullable<Contact['consent']['topics']>;

const changedTopics = (before: Topics, after: Topics): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((topic) =>
    (['email', 'sms'] as const)
      .filter((channel) => before[topic]?.[channel]?.status !== after[topic]?.[channel]?.status)
      .map((channel) => `consent.${channel}.topics.${topic}`),
  );

const same = (a: unknown, b: unknown) => a === b || JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
