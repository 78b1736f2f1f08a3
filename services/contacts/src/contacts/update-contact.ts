import { Contact } from '@mp/contracts/contact';
import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import { mayRead } from '@mp/service-kit/principal';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { consentsAtMerge, dateRepeats } from '../consent/date-repeated-consents.ts';
import type { MergesStore } from '../merges/merges-store.ts';
import type { LoadFacts } from './account-facts.ts';
import { changeContact } from './contact.ts';
import { UpdateContactBody } from './contact-body.ts';
import type { ContactsStore } from './contacts-store.ts';
import { changedDraft, hasNews, type SaveContacts } from './save-contacts.ts';

type Deps = { contacts: ContactsStore; merges: MergesStore; loadFacts: LoadFacts; saveContacts: SaveContacts; transact: Transact };

export function updateContact(app: Server, { contacts, merges, loadFacts, saveContacts, transact }: Deps) {
  app.put(
    '/v2/contacts/:id',
    {
      config: { scope: 'contacts:write' },
      schema: {
        operationId: 'updateContact',
        summary: 'Update a contact',
        description:
          'Members left out stay, null clears. `address`, `attributes` and `consent` are merged member by member, `tags` is replaced. ' +
          'What was read can be sent back: `id`, `status` and `created_at` as they are, or together with the `revision` at which they were so; ' +
          '`revision`, `updated_at` and `last_seen_at`, which move by themselves when the person does something, are passed over. An update that changes nothing writes nothing. With `If-Match` and the ' +
          '`ETag` that was read it is refused (412) when anything changed since, `last_seen_at` too.',
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
        const facts = await loadFacts(accountId, [before, request.body]);
        const atMerge = await consentsAtMerge(merges, tx, accountId, [before.id], [request.body.consent]);
        const consent = dateRepeats(before.consent, request.body.consent, atMerge.get(before.id));
        const { contact, changed } = changeContact(before, { ...request.body, consent }, facts);
        const nameExisting = mayRead(request.principal, 'contacts:read');
        const draft = changedDraft(before, contact, changed, consent);
        if (hasNews(draft)) await saveContacts(tx, accountId, facts, [draft], { nameExisting });
        return { status: 200, data: contact, etag: etagOf(contact) };
      }),
  );
}
