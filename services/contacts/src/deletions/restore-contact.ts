import { Contact } from '@mp/contracts/contact';
import { success } from '@mp/contracts/envelope';
import { ApiError, notFound } from '@mp/contracts/errors';
import { contactId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import { mayRead } from '@mp/service-kit/principal';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { Audit } from '../audit/audit.ts';
import type { LoadContext } from '../contacts/account-context.ts';
import { allTaken } from '../contacts/contact-conflicts.ts';
import { statusOf } from '../contacts/contact-status.ts';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { returnedDraft, type SaveContacts } from '../contacts/save-contacts.ts';
import { revisionAfterDeletion } from './delete.ts';
import type { DeletedContactsStore } from './deleted-contacts-store.ts';

type Deps = {
  contacts: ContactsStore;
  deleted: DeletedContactsStore;
  loadContext: LoadContext;
  saveContacts: SaveContacts;
  audit: Audit;
  transact: Transact;
};

export function restoreContact(app: Server, { contacts, deleted, loadContext, saveContacts, audit, transact }: Deps) {
  app.post(
    '/v2/contacts/:id/restore',
    {
      config: { scope: 'contacts:write', ifMatch: true },
      schema: {
        operationId: 'restoreContact',
        summary: 'Restore a deleted contact',
        description:
          'Brings back a contact that was deleted in the last 30 days: under its id, with its attributes, tags, consent, merges and ' +
          'timeline as they were. An unsubscription received since the deletion applies, and the status reflects the current ' +
          'suppressions. Segments evaluate the contact again. Workflow runs that ended with the deletion do not continue, and its visitors ' +
          'in LeadPulse stay anonymous until they are identified again. Returns 409 if other contacts now have its email, phone or ' +
          'external_id: `details` names each. Returns 404 if the contact was erased or deleted more than 30 days ago.',
        params: z.object({ id: contactId }),
        body: z.strictObject({}),
        response: { 200: success(Contact) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const { id } = request.params;
        if (await contacts.findOne(accountId, id, tx)) throw new ApiError('INVALID_STATE', `The contact ${id} is not deleted.`);
        const gone = await deleted.take(tx, accountId, id);
        if (!gone || gone.restorableUntil <= new Date()) throw notFound();
        const { contact: before, mergedIds } = gone;
        requireMatch(request, before);
        const nameExisting = mayRead(request.principal, 'contacts:read');
        const taken = await contacts.allTakenFrom(accountId, before, tx);
        if (taken.length > 0) throw allTaken(taken, nameExisting);

        const context = await loadContext(accountId, [before]);
        const contact: Contact = {
          ...before,
          status: statusOf(before, context),
          revision: revisionAfterDeletion(before) + 1,
          updated_at: new Date().toISOString(),
        };
        await saveContacts(tx, accountId, { context, drafts: [returnedDraft(before, contact)], nameExisting });
        await contacts.setMergedIds(tx, accountId, id, mergedIds);
        await audit(tx, request.principal, { action: 'contact.restored', target_id: id });
        return { status: 200, data: contact, etag: etagOf(contact) };
      }),
  );
}
