import { z } from 'zod';
import { Contact } from '../contact.ts';
import { defineQuestion } from '../question.ts';

export const ContactsPage = defineQuestion(
  'contacts.page',
  1,
  "One page of an account's contacts by id order, for filling a projection again.",
  z.object({ account_id: z.string(), after: z.string().nullable(), limit: z.number().int().min(1).max(200) }),
  z.object({ contacts: z.array(Contact), next: z.string().nullable() }),
);

export const AccountsWithContacts = defineQuestion(
  'contacts.accounts',
  1,
  'The accounts that have contacts, by id order.',
  z.object({ after: z.string().nullable() }),
  z.object({ account_ids: z.array(z.string()), next: z.string().nullable() }),
);
