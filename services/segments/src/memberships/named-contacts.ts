import { contactId } from '@mp/contracts/ids';
import { z } from 'zod';
import type { Named } from '../profiles/find-contacts.ts';

const maxContacts = 1_000;

const Text = z.string().trim().normalize('NFC').min(1);

const NamedContact: z.ZodType<Named> = z
  .union(
    [
      z.strictObject({
        id: contactId
          .trim()
          .normalize('NFC')
          .min(1)
          .max(100)
          .describe('ID of the contact. An ID from before a merge refers to the surviving contact.'),
      }),
      z.strictObject({ email: Text.max(320).describe('Email address, case-insensitive.') }),
      z.strictObject({ external_id: Text.max(200).describe('The ID that the account gave the contact.') }),
    ],
    'A contact must have exactly one of id, email and external_id, such as {"email": "ada@example.com"}.',
  )
  .meta({ id: 'NamedContact', description: 'A contact, by exactly one of its identifiers.' });

/** The body of a request that adds contacts to a segment or removes them. */
export const NamedContacts = z.strictObject({
  contacts: z.array(NamedContact).min(1).max(maxContacts).describe(`1 to ${maxContacts} contacts.`),
});
