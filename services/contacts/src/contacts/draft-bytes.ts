import type { Contact } from '@mp/contracts/contact';
import type { Draft } from './save-contacts.ts';

/**
 * Contacts of so many bytes are written at once: with their events and what their indexes are made of, a transaction
 * stays under the 16 MiB of MongoDB 4.0.
 */
export const writtenBytesMax = 2.5 * 1024 * 1024;

/** Each step of a consent is told, logged and put on the timeline. */
const stepBytes = 512;

/** How much of `writtenBytesMax` a contact takes. */
export const draftBytes = ({ contact, consents }: Pick<Draft, 'contact' | 'consents'>) =>
  contactBytes(contact) + consents.length * stepBytes;

/** As JSON, and its lists as they are indexed: every item with the name of its attribute. */
export function contactBytes(contact: Contact): number {
  let bytes = Buffer.byteLength(JSON.stringify(contact));
  for (const [key, value] of Object.entries(contact.attributes)) if (Array.isArray(value)) bytes += value.length * (key.length + 12);
  return bytes;
}
