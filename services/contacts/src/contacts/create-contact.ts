import { Contact } from '@mp/contracts/contact';
import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { etagOf } from '@mp/service-kit/precondition';
import { mayRead } from '@mp/service-kit/principal';
import type { Transact } from '@mp/service-kit/transact';
import { newContact } from './contact.ts';
import { CreateContactBody } from './contact-body.ts';
import type { ContactsStore } from './contacts-store.ts';

export function createContact(app: Server, { contacts, transact }: { contacts: ContactsStore; transact: Transact }) {
  app.post(
    '/v2/contacts',
    {
      config: { scope: 'contacts:write' },
      schema: {
        summary: 'Create a contact',
        description:
          'At least one of `email`, `phone` and `external_id` is needed; each is unique in the account (409 names the contact that has it).',
        querystring: noQuery,
        body: CreateContactBody,
        response: { 201: success(Contact) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const contact = newContact(request.body);
        await contacts.insert(tx, request.principal.accountId, contact, mayRead(request.principal, 'contacts:read'));
        return { status: 201, data: contact, location: `/v2/contacts/${contact.id}`, etag: etagOf(contact) };
      }),
  );
}
