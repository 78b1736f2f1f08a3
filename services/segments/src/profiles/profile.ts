import type { Contact } from '@mp/contracts/contact';
import { fieldReader } from '@mp/rules/contact-profile';
import { contactFields } from '@mp/rules/fields';

/** What this service knows of one contact. Without `contact` it is only a name that others have used, or a tombstone. */
export type Profile = {
  id: string;
  contact: Contact | null;
  /** Of the newest event that was applied; 0 before any. */
  revision: number;
  deleted: boolean;
  /** When a transaction last evaluated the contact; the next change is not before it. */
  touchedAt: Date;
};

export type KnownProfile = Profile & { contact: Contact };

export const isKnown = (profile: Profile): profile is KnownProfile => profile.contact !== null;

const readers = Object.entries(contactFields).map(([name, type]) => ({ name, read: fieldReader({ name, type }) }));

/**
 * The fields, under the names rules know them by, in which two states of a contact differ. Compared here rather than taken
 * from the event: when events arrive out of order, the one before the last may never be applied.
 */
export function changedFields(before: Contact, after: Contact): string[] {
  const fields = readers.filter(({ read }) => !same(read(before), read(after))).map(({ name }) => name);
  const keys = new Set([...Object.keys(before.attributes), ...Object.keys(after.attributes)]);
  const attributes = [...keys].filter((key) => !same(before.attributes[key], after.attributes[key])).map((key) => `attributes.${key}`);
  return [...fields, ...attributes];
}

const same = (a: unknown, b: unknown) => a === b || JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
