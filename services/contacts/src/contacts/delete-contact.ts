import { Deleted, success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { LeftoversStore } from '../erasures/leftovers-store.ts';
import type { ContactsStore } from './contacts-store.ts';
import type { RemoveContact } from './save-contacts.ts';

type Deps = { contacts: ContactsStore; leftovers: LeftoversStore; removeContact: RemoveContact; transact: Transact };

export function deleteContact(app: Server, { contacts, leftovers, removeContact, transact }: Deps) {
  app.delete(
    '/v2/contacts/:id',
    {
      config: { scope: 'contacts:write' },
      schema: {
        operationId: 'deleteContact',
        summary: 'Delete a contact',
        description:
          'Deletes the contact and its history. Its consent log stays as proof, and suppressions of its address stay in force. `POST ' +
          '/v2/contacts/:id/erase` removes everything, in every service. The id of a contact that was merged into another cannot be ' +
          'deleted on its own (409).',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const contact = await contacts.getUnmerged(accountId, request.params.id, tx);
        requireMatch(request, contact);
        const ids = await contacts.idsOf(accountId, contact.id, tx);
        await leftovers.add(tx, accountId, ids);
        await removeContact(tx, accountId, contact, { mergedIds: ids.slice(1) });
        return { status: 200, data: { id: contact.id, deleted: true } };
      }),
  );
}
