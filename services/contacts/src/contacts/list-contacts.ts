import { Contact } from '@mp/contracts/contact';
import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { linkNext } from '@mp/service-kit/list';
import { ListContactsQuery } from './contact-filters.ts';
import type { ContactsStore } from './contacts-store.ts';

export function listContacts(app: Server, { contacts }: { contacts: ContactsStore }) {
  app.get(
    '/v2/contacts',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'listContacts',
        summary: 'List contacts',
        description:
          '**Filters.** `id[in]`, `email`, `external_id` or `phone` go with anything. One of `tag`, `status` and `attributes.<key>` ' +
          'goes with ranges over and sort by `created_at`. Ranges over `created_at` or `updated_at` go with the sort by the same field.',
        querystring: ListContactsQuery,
        response: { 200: page(Contact) },
      },
    },
    async (request, reply) => {
      const found = await contacts.list(request.principal.accountId, request.query);
      linkNext(request, reply, found.pagination);
      return { success: true as const, data: found };
    },
  );
}
