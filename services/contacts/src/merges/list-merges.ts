import { page } from '@mp/contracts/envelope';
import { contactId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { Merge } from './merge.ts';
import type { MergesStore } from './merges-store.ts';

export function listMerges(app: Server, { contacts, merges }: { contacts: ContactsStore; merges: MergesStore }) {
  app.get(
    '/v2/contacts/:id/merges',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'listMerges',
        summary: 'List the merges into a contact, newest first',
        description: 'Each with both contacts as they were before it.',
        params: z.object({ id: contactId }),
        querystring: z.strictObject(listQuery),
        response: { 200: page(Merge) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { id } = await contacts.get(accountId, request.params.id);
      const { items, pagination } = await merges.list(accountId, id, request.query);
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items: items.map(({ merged, source_merged_ids, ...merge }) => merge), pagination } };
    },
  );
}
