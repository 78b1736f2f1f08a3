import { success } from '@mp/contracts/envelope';
import { contactId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { Merge } from './merge.ts';
import type { MergesStore } from './merges-store.ts';

const maxShown = 100;

export function listMerges(app: Server, { contacts, merges }: { contacts: ContactsStore; merges: MergesStore }) {
  app.get(
    '/v2/contacts/:id/merges',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'listMerges',
        summary: 'List the merges into a contact',
        description: 'Returns the 100 newest merges, each with both contacts as they were before it.',
        params: z.object({ id: contactId }),
        querystring: noQuery,
        response: { 200: success(z.object({ items: z.array(Merge) })) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { id } = await contacts.get(accountId, request.params.id);
      const records = await merges.ofContact(accountId, id, maxShown);
      return { success: true as const, data: { items: records.map(({ merged, source_merged_ids, ...merge }) => merge) } };
    },
  );
}
