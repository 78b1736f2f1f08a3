import { Contact } from '@mp/contracts/contact';
import { success } from '@mp/contracts/envelope';
import { ContactUnmerged } from '@mp/contracts/events/contacts';
import { contactId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import { mayRead } from '@mp/service-kit/principal';
import { z } from 'zod';
import type { ConsentLogStore } from '../consent/consent-log-store.ts';
import { revise } from '../contacts/contact.ts';
import { identities } from '../contacts/contact-body.ts';
import { allTaken } from '../contacts/contact-conflicts.ts';
import { statusOf } from '../contacts/contact-status.ts';
import { changedDraft, returnedDraft } from '../contacts/save-contacts.ts';
import { alreadyUndone, laterFirst, leftWithoutIdentifier } from './merge.ts';
import type { MergeDeps } from './merge-contacts.ts';
import { afterLateWithdrawals, sourceBefore, survivorBefore } from './surviving-contact.ts';

const Undone = z.object({
  merge_id: z.string(),
  contact: Contact.describe('The contact that survived the merge.'),
  source: Contact.describe('The restored contact, under its original id.'),
});

type UndoDeps = Omit<MergeDeps, 'removeContact'> & { consentLog: ConsentLogStore };

export function undoMerge(app: Server, deps: UndoDeps) {
  const { contacts, consentLog, merges, timeline, outbox, loadContext, saveContacts, transact } = deps;
  app.post(
    '/v2/contacts/:id/merges/:merge_id/undo',
    {
      config: { scope: 'contacts:write', ifMatch: true },
      schema: {
        operationId: 'undoMerge',
        summary: 'Undo a merge',
        description:
          'Separates the two contacts again. Changes made since the merge stay on the surviving contact; an unsubscription since then ' +
          'applies to both. If several contacts were merged into one, undo the merges in reverse order, starting with the newest. ' +
          'Returns 409 if another contact now has an identifier of the contact to be restored.',
        params: z.object({ id: contactId, merge_id: z.string() }),
        body: z.strictObject({}),
        response: { 200: success(Undone) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const current = await contacts.getUnmerged(accountId, request.params.id, tx);
        const record = await merges.get(accountId, current.id, request.params.merge_id, tx);
        requireMatch(request, current);
        if (record.status === 'undone') throw alreadyUndone(record.id);
        const newest = await merges.newest(accountId, current.id, tx);
        if (newest !== undefined && newest !== record.id) throw laterFirst(newest);

        const now = new Date();
        const context = await loadContext(accountId, [current, record.contact, record.source]);
        const late = await consentLog.lateWithdrawals(tx, accountId, current.id, new Date(record.created_at));
        const survivor = afterLateWithdrawals(survivorBefore(record, current), current, late);
        if (identities.every((name) => survivor[name] === null)) throw leftWithoutIdentifier();
        const { contact, changed } = revise(current, survivor, context, now);
        const back = afterLateWithdrawals(sourceBefore(record, current), current, late);
        // Its deletion was published one revision above its last, so the restored contact is one above that.
        const source = { ...back, status: statusOf(back, context), revision: back.revision + 2, updated_at: now.toISOString() };
        const nameExisting = mayRead(request.principal, 'contacts:read');
        // First, so that a change of the email ends no request of the contact that it returns to.
        const gone = new Set([source.id, ...record.source_merged_ids]);
        const ids = await contacts.idsOf(accountId, contact.id, tx);
        await contacts.setMergedIds(
          tx,
          accountId,
          contact.id,
          ids.slice(1).filter((id) => !gone.has(id)),
        );
        if (changed.length > 0)
          await saveContacts(tx, accountId, { context, drafts: [changedDraft(current, contact, { changed })], nameExisting });
        // Checked in the transaction: outside it, the surviving contact still has the identifiers it returns.
        const lost = await contacts.allTakenFrom(accountId, source, tx);
        if (lost.length > 0) throw allTaken(lost, nameExisting);
        await saveContacts(tx, accountId, { context, drafts: [returnedDraft(record.source, source)], nameExisting });

        await contacts.setMergedIds(tx, accountId, source.id, record.source_merged_ids);
        await merges.markUndone(tx, accountId, record.id, now);
        const eventData = { merge_id: record.id, source_id: source.id, source_revision: source.revision };
        await outbox.add(tx, ContactUnmerged, accountId, { ...eventData, contact, source });
        await timeline.add(
          tx,
          accountId,
          [contact.id, source.id].map((id) => ({
            contact_id: id,
            at: now,
            kind: 'merge' as const,
            type: ContactUnmerged.type,
            facts: eventData,
          })),
        );
        return { status: 200, data: { merge_id: record.id, contact, source }, etag: etagOf(contact) };
      }),
  );
}
