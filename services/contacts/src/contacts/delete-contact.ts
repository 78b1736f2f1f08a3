import { Deleted, success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { ContactsStore } from './contacts-store.ts';

export function deleteContact(app: Server, { contacts, transact }: { contacts: ContactsStore; transact: Transact }) {
  app.delete(
    '/v2/contacts/:id',
    {
      config: { scope: 'contacts:write' },
      schema: {
        summary: 'Delete a contact',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const contact = await contacts.get(accountId, request.params.id, tx);
        requireMatch(request, contact);
        await contacts.remove(tx, accountId, contact);
        return { status: 200, data: { id: contact.id, deleted: true } };
      }),
  );
}
