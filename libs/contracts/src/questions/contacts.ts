import { z } from 'zod';
import { Contact } from '../contact.ts';
import { defineQuestion } from '../question.ts';

/** As many ids, as many e-mails and as many external ids as one request may name. */
export const foundAtOnce = 200;

export const ContactsPage = defineQuestion(
  'contacts.page',
  1,
  "One page of an account's contacts by id order, for filling a projection again. It may end before `limit`: contacts may be large and an answer may not, so only `next` says whether there are more.",
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

export const ContactsFind = defineQuestion(
  'contacts.find',
  1,
  'Contacts by id, e-mail or external id, for those whose events have not arrived yet. Unknown ones are left out. Asked by `findContacts`.',
  z.object({
    account_id: z.string(),
    ids: z.array(z.string()).max(foundAtOnce).default([]),
    emails: z.array(z.string()).max(foundAtOnce).default([]),
    external_ids: z.array(z.string()).max(foundAtOnce).default([]),
  }),
  z.object({
    contacts: z.array(Contact),
    merged: z
      .array(z.object({ id: z.string(), into: z.string() }))
      .default([])
      .describe('asked ids that were merged into another contact, which is among `contacts` under its own id'),
    left_off: z
      .object({ ids: z.array(z.string()), emails: z.array(z.string()), external_ids: z.array(z.string()).default([]) })
      .default({ ids: [], emails: [], external_ids: [] })
      .describe('what was not looked at because the answer would be larger than NATS takes: to be asked again'),
  }),
);

export const AttributeTypesOf = defineQuestion(
  'contacts.attribute_types',
  1,
  'Which types these attributes have in the account; those that it has never seen are left out.',
  z.object({ account_id: z.string(), keys: z.array(z.string()).max(100) }),
  z.object({ types: z.record(z.string(), z.enum(['string', 'number', 'boolean', 'date', 'string_list'])) }),
);
