import { Contact } from '@mp/contracts/contact';
import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink } from '@mp/service-kit/list';
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
          '**Filters.** `id[in]`, `email`, `external_id` and `phone` can be combined with any other filter and sort. `tag`, `status` and ' +
          '`attributes.<key>` can be used one at a time, with a range and sort on `created_at`. A range on `created_at` or `updated_at` ' +
          'requires a sort by the same field. `q` can be combined with every filter, and returns contacts in the order of the matching word; ' +
          'it can be combined with `sort` and `include` only next to a filter on `id[in]`, `email`, `external_id` or `phone`. One request ' +
          'checks at most 5,000 contacts for `q`, so with several words or a filter a page can have fewer items than `limit`, or none, ' +
          'while `has_more` is true: continue with `next_cursor`.',
        querystring: ListContactsQuery,
        response: { 200: page(Contact) },
      },
    },
    async (request, reply) => {
      const found = await contacts.list(request.principal.accountId, request.query);
      addNextLink(request, reply, found.pagination);
      return { success: true as const, data: found };
    },
  );
}
