import { Contact } from '@mp/contracts/contact';
import { success } from '@mp/contracts/envelope';
import { contactId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import { mayRead } from '@mp/service-kit/principal';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { consentsAtMerge, dateRepeatedConsents } from '../consent/date-repeated-consents.ts';
import type { MergesStore } from '../merges/merges-store.ts';
import type { LoadContext } from './account-context.ts';
import { changeContact } from './contact.ts';
import { UpdateContactBody } from './contact-body.ts';
import type { ContactsStore } from './contacts-store.ts';
import { changedDraft, hasNews, type SaveContacts } from './save-contacts.ts';

type Deps = { contacts: ContactsStore; merges: MergesStore; loadContext: LoadContext; saveContacts: SaveContacts; transact: Transact };

export function updateContact(app: Server, { contacts, merges, loadContext, saveContacts, transact }: Deps) {
  app.put(
    '/v2/contacts/:id',
    {
      config: { scope: 'contacts:write', ifMatch: true },
      schema: {
        operationId: 'updateContact',
        summary: 'Update a contact',
        description:
          'Omitted fields keep their value; `null` clears a field. `address`, `attributes` and `consent` are merged field by field; ' +
          '`tags` is replaced. A contact from an earlier response can be edited and sent back: `id`, `status` and `created_at` are ' +
          'accepted if they match the current contact, or the `revision` that you send with them; `revision`, `updated_at` and `last_seen_at` are ' +
          'ignored. An update that changes nothing does not create a new revision. With `If-Match` and the `ETag` of an earlier ' +
          'response, the update fails with 412 if anything has changed since, including `last_seen_at`.',
        params: z.object({ id: contactId }),
        body: UpdateContactBody,
        response: { 200: success(Contact) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const before = await contacts.get(accountId, request.params.id, tx);
        requireMatch(request, before);
        const context = await loadContext(accountId, [before, request.body]);
        const atMerge = await consentsAtMerge(merges, tx, accountId, { ids: [before.id], bodies: [request.body.consent] });
        const consent = dateRepeatedConsents(before.consent, request.body.consent, atMerge.get(before.id));
        const { contact, changed } = changeContact(before, { ...request.body, consent }, context);
        const nameExisting = mayRead(request.principal, 'contacts:read');
        const draft = changedDraft(before, contact, { changed, body: consent });
        if (hasNews(draft)) await saveContacts(tx, accountId, { context, drafts: [draft], nameExisting });
        return { status: 200, data: contact, etag: etagOf(contact) };
      }),
  );
}
