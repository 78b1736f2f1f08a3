import { success } from '@mp/contracts/envelope';
import { contactId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { ConsentsBody } from '../consent/consent.ts';
import { consentsAtMerge, dateRepeatedConsents } from '../consent/date-repeated-consents.ts';
import { ContactConsent, consentOf } from '../consent/get-consent.ts';
import type { MergesStore } from '../merges/merges-store.ts';
import type { LoadContext } from './account-context.ts';
import { changeContact } from './contact.ts';
import type { ContactsStore } from './contacts-store.ts';
import { changedDraft, hasNews, type SaveContacts } from './save-contacts.ts';

type Deps = { contacts: ContactsStore; merges: MergesStore; loadContext: LoadContext; saveContacts: SaveContacts; transact: Transact };

export function changeConsent(app: Server, { contacts, merges, loadContext, saveContacts, transact }: Deps) {
  app.put(
    '/v2/contacts/:id/consent',
    {
      config: { scope: 'contacts:write', ifMatch: true },
      schema: {
        operationId: 'changeConsent',
        summary: "Update a contact's consent",
        description:
          'Omitted channels and topics keep their consent; `null` clears it. Each change is logged with its `evidence`. A change dated ' +
          '(`at`) before the current unsubscription is logged but has no effect; this applies to every way of writing contacts. `pending` never replaces an unsubscription. A ' +
          'suppressed address stays suppressed regardless of consent.',
        params: z.object({ id: contactId }),
        body: ConsentsBody,
        response: { 200: success(ContactConsent) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const before = await contacts.get(accountId, request.params.id, tx);
        requireMatch(request, before);
        const context = await loadContext(accountId, [before]);
        const atMerge = await consentsAtMerge(merges, tx, accountId, { ids: [before.id], bodies: [request.body] });
        const consent = dateRepeatedConsents(before.consent, request.body, atMerge.get(before.id));
        const { contact, changed } = changeContact(before, { consent }, context);
        const draft = changedDraft(before, contact, { changed, body: consent });
        if (hasNews(draft)) await saveContacts(tx, accountId, { context, drafts: [draft] });
        return { status: 200, data: consentOf(contact), etag: etagOf(contact) };
      }),
  );
}
