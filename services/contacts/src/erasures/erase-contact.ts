import { success } from '@mp/contracts/envelope';
import { contactId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { Audit } from '../audit/audit.ts';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { DeletedContactsStore } from '../deletions/deleted-contacts-store.ts';
import type { Erase } from './erase.ts';
import { Erasure } from './erasure.ts';

const EraseBody = z.strictObject({
  suppress: z
    .boolean()
    .default(false)
    .describe(
      'Also suppresses the email address. An address that was already suppressed or unsubscribed stays suppressed in any case; only its ' +
        'hash is kept. If another contact now has an address of a merged contact, that address is not affected.',
    ),
});

type Deps = { contacts: ContactsStore; deleted: DeletedContactsStore; erase: Erase; audit: Audit; transact: Transact };

export function eraseContact(app: Server, { contacts, deleted, erase, audit, transact }: Deps) {
  app.post(
    '/v2/contacts/:id/erase',
    {
      config: { scope: 'contacts:erase', ifMatch: true },
      schema: {
        operationId: 'eraseContact',
        summary: 'Erase a contact',
        description:
          'Deletes the contact immediately and, within moments, everything that any service stores about it: history, consent log, merges, and ' +
          'events still in streams and queues. The response (202) is the receipt, in which each service confirms its part. ' +
          'Erasure cannot be undone. A contact that was deleted in the last 30 days can also be erased.',
        params: z.object({ id: contactId }),
        body: EraseBody,
        response: { 202: success(Erasure) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const { id } = request.params;
        const gone = await deleted.find(accountId, id, tx);
        const contact = gone?.contact.id === id ? gone.contact : await contacts.getUnmerged(accountId, id, tx);
        requireMatch(request, contact);
        const erasure = await erase(tx, accountId, contact, { suppress: request.body.suppress });
        const details = { erasure_id: erasure.id };
        await audit(tx, request.principal, { action: 'contact.erased', target_id: contact.id, details });
        return { status: 202, data: erasure, location: `/v2/contacts/erasures/${erasure.id}` };
      }),
  );
}
