import { Contact } from '@mp/contracts/contact';
import { includedContact } from '@mp/service-kit/include-contacts';
import { z } from 'zod';
import type { KnownProfile } from './profile.ts';

/** A contact in a segment. */
export const Member = Contact.pick({
  id: true,
  external_id: true,
  email: true,
  phone: true,
  first_name: true,
  last_name: true,
  tags: true,
  status: true,
  created_at: true,
})
  .extend({ entered_at: z.iso.datetime().describe('When the contact entered the segment.'), contact: includedContact })
  .meta({ id: 'SegmentMember' });
export type Member = z.infer<typeof Member>;

export function memberOf({ contact }: KnownProfile, enteredAt: Date): Member {
  const { id, external_id, email, phone, first_name, last_name, tags, status, created_at } = contact;
  return { id, external_id, email, phone, first_name, last_name, tags, status, created_at, entered_at: enteredAt.toISOString() };
}
