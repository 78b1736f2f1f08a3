import type { Contact } from '@mp/contracts/contact';
import type { Draft } from './save-contacts.ts';

/**
 * The largest total size of contacts written at once. With their events and indexed values, the transaction stays below the
 * 16 MiB limit of MongoDB 4.0.
 */
export const maxWrittenBytes = 2.5 * 1024 * 1024;

/** Each consent step is published, logged and added to the timeline. */
const stepBytes = 512;

/** The share of `maxWrittenBytes` that a draft takes, in bytes. */
export const draftBytes = ({ contact, consents }: Pick<Draft, 'contact' | 'consents'>) =>
  contactBytes(contact) + consents.length * stepBytes;

/** The size as JSON plus that of indexed lists, in which every item includes the name of its attribute. */
export function contactBytes(contact: Contact): number {
  let bytes = Buffer.byteLength(JSON.stringify(contact));
  for (const [key, value] of Object.entries(contact.attributes)) if (Array.isArray(value)) bytes += value.length * (key.length + 12);
  return bytes;
}
