import type { Contact } from '@mp/contracts/contact';
import type { EventEnvelope } from '@mp/contracts/event';
import { ContactCreated, ContactDeleted, ContactUpdated } from '@mp/contracts/events/contacts';
import { fullFieldName } from '@mp/rules/fields';
import { causedBy } from '@mp/service-kit/caused-by';
import { on, onAll } from '@mp/service-kit/consume';
import type { z } from 'zod';
import type { ApplyContactEvents, Happening } from '../occurrences/apply-contact-events.ts';
import type { OccurrencesStore } from '../occurrences/occurrences-store.ts';
import type { ApplyInput } from '../runs/apply-inputs.ts';
import type { RecheckRuns } from '../runs/recheck-runs.ts';
import type { RunsStore } from '../runs/runs-store.ts';
import { transferRuns } from '../runs/transfer-runs.ts';
import type { ContactsStore } from './contacts-store.ts';

type Deps = {
  contacts: ContactsStore;
  runs: RunsStore;
  applyInput: ApplyInput;
  recheckRuns: RecheckRuns;
  applyContactEvents: ApplyContactEvents;
  occurrences: OccurrencesStore;
};

/** More runs than one contact has. The effects of further runs are refused. */
const maxRuns = 500;

/**
 * Updates the projection, starts triggered runs, lets emails that quiet hours hold follow a new time zone, ends the runs of deleted
 * contacts, and moves those of merged contacts to the survivor.
 */
export const onContactChanged = (deps: Deps) => [
  onAll(ContactCreated, async (tx, events) => {
    const back = await deps.contacts.keep(tx, events.map(changeOf));
    for (const { account_id, data } of events) {
      const { id } = data.contact;
      if (!back.has(id)) continue;
      const own = await deps.runs.formerlyOf(account_id, id, maxRuns, tx);
      await transferRuns(causedBy(tx, tx.causedBy?.(data)), deps, { transferred: own, to: id, why: 'The contact merge was undone.' });
    }
    // A contact that an undone merge restores was created before.
    const isNew = events.filter(({ data }) => data.contact.revision <= 1);
    await deps.applyContactEvents(
      tx,
      isNew.map((event) => {
        const { id: contactId, revision } = event.data.contact;
        return { event, contactId, revision, trigger: { type: 'contact_created' } };
      }),
    );
  }),

  onAll(ContactUpdated, async (tx, events) => {
    await deps.contacts.keep(tx, events.map(changeOf));
    const moved = events.filter(({ data }) => data.changed.includes('timezone'));
    const those = moved.map(({ account_id: accountId, data }) => ({ accountId, contactId: data.contact.id }));
    const causes = new Map(moved.map(({ data }) => [data.contact.id, tx.causedBy?.(data)]));
    await deps.recheckRuns(tx, await deps.runs.heldOf(tx, those, 'quiet_hours', maxRuns), ({ contact_id }) => causes.get(contact_id));
    await deps.applyContactEvents(tx, events.map(updated));
  }),

  on(ContactDeleted, async (tx, { account_id, data }) => {
    const { contacts, runs, applyInput } = deps;
    const { contact_id, revision, merged_into } = data;
    if (!(await contacts.forget(tx, account_id, { id: contact_id, revision, mergedInto: merged_into }))) return;
    const survivor = merged_into === undefined ? undefined : await contacts.lockSurvivor(tx, account_id, merged_into);
    if (survivor === undefined) {
      for (const run of await runs.openOf(account_id, contact_id, maxRuns, tx)) {
        await applyInput(tx, run, { type: 'exit', reason: 'contact_deleted' });
      }
      return;
    }
    await deps.occurrences.give(tx, account_id, contact_id, survivor);
    const theirs = await runs.ofContact(account_id, contact_id, maxRuns, tx);
    await transferRuns(tx, deps, { transferred: theirs, to: survivor, why: `Contact ${contact_id} was merged into ${survivor}.` });
  }),
];

const changeOf = ({ account_id: accountId, data }: EventEnvelope<{ contact: Contact }>) => {
  const { id, email, revision } = data.contact;
  return { accountId, id, email, revision };
};

function updated(event: EventEnvelope<z.output<typeof ContactUpdated.data>>): Happening {
  const { contact, changed } = event.data;
  return {
    ...{ event, contactId: contact.id, revision: contact.revision },
    occurred: { type: 'contact', contact },
    trigger: { type: 'contact_updated' },
    fits: (trigger) =>
      trigger.type === 'contact_updated' &&
      (trigger.fields
        ? trigger.fields.some((field) => changed.some((path) => isWithin(path, fullFieldName(field))))
        : changed.some((path) => path !== 'last_seen_at')),
  };
}

const isWithin = (path: string, field: string) => path === field || path.startsWith(`${field}.`);
