import { Contact } from '@mp/contracts/contact';
import { success } from '@mp/contracts/envelope';
import { ApiError, invalid } from '@mp/contracts/errors';
import { ContactMerged } from '@mp/contracts/events/contacts';
import { contactId } from '@mp/contracts/ids';
import { newId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Outbox } from '@mp/service-kit/outbox';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { LoadContext } from '../contacts/account-context.ts';
import { revise } from '../contacts/contact.ts';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { changedDraft, type RemoveContact, type SaveContacts } from '../contacts/save-contacts.ts';
import type { TimelineStore } from '../timeline/timeline-store.ts';
import type { MergesStore } from './merges-store.ts';
import { survivingContact } from './surviving-contact.ts';

const MergeBody = z.strictObject({ source_id: contactId.max(300).describe('The contact to merge into the one in the path.') });

const Merged = z.object({
  merge_id: z.string().describe('The ID of the merge. Use it to undo the merge.'),
  source_id: contactId,
  contact: Contact,
});

export type MergeDeps = {
  contacts: ContactsStore;
  merges: MergesStore;
  timeline: TimelineStore;
  outbox: Outbox;
  loadContext: LoadContext;
  saveContacts: SaveContacts;
  removeContact: RemoveContact;
  transact: Transact;
};

/** More than one person plausibly has; a chain of merges carries the ids of all earlier ones. */
const maxMergedIds = 100;

export function mergeContacts(app: Server, deps: MergeDeps) {
  const { contacts, merges, timeline, outbox, loadContext, saveContacts, removeContact, transact } = deps;
  app.post(
    '/v2/contacts/:id/merge',
    {
      config: { scope: 'contacts:write', ifMatch: true },
      schema: {
        operationId: 'mergeContacts',
        summary: 'Merge another contact into this one',
        description:
          'This contact keeps its values and takes missing ones from the other. Tags and attributes are combined, and an unsubscription ' +
          'of either contact applies to the merged one. The id of the other contact then refers to this one. `POST ' +
          '/v2/contacts/:id/merges/:merge_id/undo` separates them again. A contact that was itself merged into another can neither be ' +
          'merged again nor be the target of a merge (409; the message names the contact it was merged into). If the combined tags, ' +
          'attributes or consent topics exceed the limits of one contact, the request fails with 400 and neither contact changes. In ' +
          'segments, events from before the merge count for this contact until the merge is undone, and it is in the static segments of both.',
        params: z.object({ id: contactId }),
        body: MergeBody,
        response: { 200: success(Merged) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const { source_id } = request.body;
        const before = await contacts.getUnmerged(accountId, request.params.id, tx);
        requireMatch(request, before);
        if (source_id === before.id) throw invalid('/source_id', 'same_contact', 'A contact cannot be merged into itself.');
        const source = await contacts.getUnmerged(accountId, source_id, tx).catch(rejectUnknownSource);
        const [ids, sourceIds] = [await contacts.idsOf(accountId, before.id, tx), await contacts.idsOf(accountId, source.id, tx)];
        const mergedIds = [...ids, ...sourceIds].filter((id) => id !== before.id);
        if (mergedIds.length > maxMergedIds)
          throw invalid('/source_id', 'too_big', `At most ${maxMergedIds} contacts can be merged into one.`);

        const now = new Date();
        const context = await loadContext(accountId, [before, source]);
        const after = survivingContact(before, source);
        const { contact: revised, changed } = revise(before, after, context, now);
        const contact = changed.length > 0 ? revised : { ...before, revision: before.revision + 1, updated_at: now.toISOString() };
        // The other contact is removed first, so that this one can take over its unique identifiers.
        await removeContact(tx, accountId, source, { mergedInto: contact });
        await saveContacts(tx, accountId, { context, drafts: [changedDraft(before, contact, { changed })] });
        await contacts.setMergedIds(tx, accountId, contact.id, mergedIds);
        const record = { id: newId('merge'), contact: before, source, merged: contact, sourceMergedIds: sourceIds.slice(1) };
        await merges.add(tx, accountId, record, now);
        const eventData = { merge_id: record.id, source_id: source.id, source_revision: source.revision + 1 };
        await outbox.add(tx, ContactMerged, accountId, { ...eventData, contact, changed });
        await timeline.add(tx, accountId, [{ contact_id: contact.id, at: now, kind: 'merge', type: ContactMerged.type, facts: eventData }]);
        return { status: 200, data: { merge_id: record.id, source_id: source.id, contact }, etag: etagOf(contact) };
      }),
  );
}

/** The contact of the path exists, so a missing contact is the one named in the body. */
function rejectUnknownSource(error: unknown): never {
  if (error instanceof ApiError && error.code === 'NOT_FOUND')
    throw invalid('/source_id', 'unknown_contact', 'No contact with this id in this account.');
  throw error;
}
