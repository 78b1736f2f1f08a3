import { Contact } from '@mp/contracts/contact';
import { success } from '@mp/contracts/envelope';
import { contactId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { z } from 'zod';
import type { ContactsStore } from './contacts-store.ts';

export function getContact(app: Server, { contacts }: { contacts: ContactsStore }) {
  app.get(
    '/v2/contacts/:id',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'getContact',
        summary: 'Get a contact',
        params: z.object({ id: contactId }),
        response: { 200: success(Contact) },
      },
    },
    async (request, reply) => {
      const contact = await contacts.get(request.principal.accountId, request.params.id);
      return reply.header('etag', etagOf(contact)).send({ success: true, data: contact });
    },
  );
}
