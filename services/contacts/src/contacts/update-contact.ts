import { Contact } from '@mp/contracts/contact';
import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import { mayRead } from '@mp/service-kit/principal';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { changeContact } from './contact.ts';
import { UpdateContactBody } from './contact-body.ts';
import type { ContactsStore } from './contacts-store.ts';

export function updateContact(app: Server, { contacts, transact }: { contacts: ContactsStore; transact: Transact }) {
  app.put(
    '/v2/contacts/:id',
    {
      config: { scope: 'contacts:write' },
      schema: {
        summary: 'Update a contact',
        description:
          'Members left out stay, null clears. `address`, `attributes` and `consent` are merged member by member, `tags` is replaced. ' +
          'An update that changes nothing writes nothing. Optional `If-Match` with the `ETag` that was read.',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
        body: UpdateContactBody,
        response: { 200: success(Contact) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const before = await contacts.get(accountId, request.params.id, tx);
        requireMatch(request, before);
        const { contact, changed } = changeContact(before, request.body);
        if (changed.length > 0) await contacts.replace(tx, accountId, contact, changed, mayRead(request.principal, 'contacts:read'));
        return { status: 200, data: contact, etag: etagOf(contact) };
      }),
  );
}
