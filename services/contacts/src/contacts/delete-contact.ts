import { Deleted, success } from '@mp/contracts/envelope';
import { contactId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { Audit } from '../audit/audit.ts';
import type { Deletions } from '../deletions/delete.ts';
import type { ContactsStore } from './contacts-store.ts';

type Deps = { contacts: ContactsStore; deletions: Deletions; audit: Audit; transact: Transact };

export function deleteContact(app: Server, { contacts, deletions, audit, transact }: Deps) {
  app.delete(
    '/v2/contacts/:id',
    {
      config: { scope: 'contacts:write', ifMatch: true },
      schema: {
        operationId: 'deleteContact',
        summary: 'Delete a contact',
        description:
          'The contact is gone immediately: no request finds it, it leaves its segments and workflows, and its identifiers are free. For ' +
          '30 days `POST /v2/contacts/:id/restore` brings it back; then its history is also removed. Its consent log stays as proof, and ' +
          'suppressions of its address stay in force. `POST /v2/contacts/:id/erase` removes everything, in every service, and cannot be ' +
          'undone; it also works for a deleted contact. The id of a contact that was merged into another cannot be deleted on its own ' +
          '(409).',
        params: z.object({ id: contactId }),
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const contact = await contacts.getUnmerged(accountId, request.params.id, tx);
        requireMatch(request, contact);
        await deletions.remove(tx, accountId, contact);
        await audit(tx, request.principal, { action: 'contact.deleted', target_id: contact.id });
        return { status: 200, data: { id: contact.id, deleted: true } };
      }),
  );
}
