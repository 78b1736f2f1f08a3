import { Contact } from '@mp/contracts/contact';
import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { mayRead } from '@mp/service-kit/principal';
import type { Transact } from '@mp/service-kit/transact';
import type { LoadContext } from './account-context.ts';
import { newContact } from './contact.ts';
import { CreateContactBody } from './contact-body.ts';
import { createdDraft, type SaveContacts } from './save-contacts.ts';

type Deps = { loadContext: LoadContext; saveContacts: SaveContacts; transact: Transact };

export function createContact(app: Server, { loadContext, saveContacts, transact }: Deps) {
  app.post(
    '/v2/contacts',
    {
      config: { scope: 'contacts:write' },
      schema: {
        operationId: 'createContact',
        summary: 'Create a contact',
        description:
          'Requires at least one of `email`, `phone` and `external_id`. Each is unique in the account; if another contact already has ' +
          'one of them, the request fails with 409 and `existing_id` names that contact.',
        body: CreateContactBody,
        response: { 201: success(Contact) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const context = await loadContext(accountId, [request.body]);
        const contact = newContact(request.body, context);
        const nameExisting = mayRead(request.principal, 'contacts:read');
        await saveContacts(tx, accountId, { context, drafts: [createdDraft(contact, request.body.consent)], nameExisting });
        return { status: 201, data: contact, location: `/v2/contacts/${contact.id}`, etag: etagOf(contact) };
      }),
  );
}
