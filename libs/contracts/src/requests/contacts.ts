import { z } from 'zod';
import { Contact, SuppressionReason } from '../contact.ts';
import { accountId, contactId } from '../ids.ts';
import { defineRequest } from '../request.ts';

/** The maximum number each of ids, emails and external ids in one request. */
export const maxFound = 200;

export const ContactsPage = defineRequest({
  name: 'contacts.page',
  version: 1,
  meaning:
    "One page of an account's contacts in id order, to rebuild a projection. It may hold fewer than `limit`, because the size of a " +
    'reply is limited; only `next` says whether there are more.',
  request: z.object({ account_id: accountId, after: contactId.nullable(), limit: z.number().int().min(1).max(200) }),
  reply: z.object({ contacts: z.array(Contact), next: contactId.nullable() }),
});

export const AccountsWithContacts = defineRequest({
  name: 'contacts.accounts',
  version: 1,
  meaning: 'The accounts that have contacts, in id order.',
  request: z.object({ after: accountId.nullable() }),
  reply: z.object({ account_ids: z.array(accountId), next: accountId.nullable() }),
});

export const ContactsFind = defineRequest({
  name: 'contacts.find',
  version: 1,
  meaning:
    'Contacts by id, email or external id, when their events have not arrived yet. Unknown ones are omitted. Used by `findContacts`.',
  request: z.object({
    account_id: accountId,
    ids: z.array(contactId).max(maxFound).default([]),
    emails: z.array(z.string()).max(maxFound).default([]),
    external_ids: z.array(z.string()).max(maxFound).default([]),
  }),
  reply: z.object({
    contacts: z.array(Contact),
    merged: z
      .array(z.object({ id: contactId, into: contactId }))
      .default([])
      .describe('Requested ids that were merged into another contact, which is in `contacts` under its own id.'),
    left_off: z
      .object({ ids: z.array(contactId), emails: z.array(z.string()), external_ids: z.array(z.string()).default([]) })
      .default({ ids: [], emails: [], external_ids: [] })
      .describe('Not looked up because the reply would exceed the NATS message size; request these again.'),
  }),
});

export const ContactsSuppressed = defineRequest({
  name: 'contacts.suppressed',
  version: 1,
  meaning: 'Which of these addresses must not be emailed, although no contact may have them.',
  request: z.object({ account_id: accountId, emails: z.array(z.string()).max(maxFound) }),
  reply: z.object({ suppressed: z.array(z.object({ email: z.string(), reason: SuppressionReason })) }),
});

export const AttributeTypesOf = defineRequest({
  name: 'contacts.attribute_types',
  version: 1,
  meaning: 'The types of these attributes in the account. Attributes that it does not have are omitted.',
  request: z.object({ account_id: accountId, keys: z.array(z.string()).max(100) }),
  reply: z.object({ types: z.record(z.string(), z.enum(['string', 'number', 'boolean', 'date', 'string_list'])) }),
});

export const ContactFieldsChecked = defineRequest({
  name: 'contacts.check_fields',
  version: 1,
  meaning:
    'Why these changes of a contact would be refused, whatever the contact: values that are not valid for their field, and attributes ' +
    'whose type in the account is another one. `change` is the index of the change.',
  request: z.object({
    account_id: accountId,
    changes: z
      .array(
        z.object({
          set: z.record(z.string(), z.unknown()).describe('As in the body of PUT /v2/contacts/:id.'),
          increment: z.array(z.string()).default([]).describe('The keys of attributes to which a number is added.'),
        }),
      )
      .max(100),
  }),
  reply: z.object({
    problems: z.array(
      z.object({
        change: z.number().int(),
        of: z.enum(['set', 'increment']),
        path: z.array(z.string()),
        code: z.string(),
        message: z.string(),
      }),
    ),
  }),
});
