import { ContactCreated, ContactDeleted, ContactUpdated } from '@mp/contracts/events/contacts';
import { fullFieldName } from '@mp/rules/fields';
import { on } from '@mp/service-kit/consume';
import type { OccurToContact } from '../occurrences/occur-to-contact.ts';
import type { OccurrencesStore } from '../occurrences/occurrences-store.ts';
import type { MoveRun } from '../runs/move-run.ts';
import type { RecheckRun } from '../runs/recheck-run.ts';
import type { RunsStore } from '../runs/runs-store.ts';
import { transferRuns } from '../runs/transfer-runs.ts';
import { type TriggerDeps, triggerByEvent } from '../triggers/trigger-event.ts';

type Deps = TriggerDeps & {
  runs: RunsStore;
  moveRun: MoveRun;
  recheckRun: RecheckRun;
  occurToContact: OccurToContact;
  occurrences: OccurrencesStore;
};

/** More runs than one contact has. The effects of further runs are refused. */
const maxRuns = 500;

/**
 * Updates the projection, starts triggered runs, lets emails that quiet hours hold follow a new time zone, ends the runs of deleted
 * contacts, and moves those of merged contacts to the survivor.
 */
export const onContactChanged = (deps: Deps) => [
  on(ContactCreated, async (tx, event) => {
    const { contact } = event.data;
    const { isBack } = await deps.contacts.keep(tx, event.account_id, contact);
    if (isBack) {
      const own = await deps.runs.formerlyOf(event.account_id, contact.id, maxRuns, tx);
      await transferRuns(tx, deps, { transferred: own, to: contact.id, why: 'The contact merge was undone.' });
    }
    // A contact that an undone merge restores was created before.
    if (contact.revision > 1) return;
    await triggerByEvent(tx, deps, { event, contactId: contact.id, revision: contact.revision, trigger: { type: 'contact_created' } });
  }),

  on(ContactUpdated, async (tx, event) => {
    const { contact, changed } = event.data;
    await deps.contacts.keep(tx, event.account_id, contact);
    if (changed.includes('timezone')) {
      for (const run of await deps.runs.openOf(event.account_id, contact.id, maxRuns, tx)) {
        if (run.waiting?.for === 'time' && run.waiting.held === 'quiet_hours') await deps.recheckRun(tx, run);
      }
    }
    await deps.occurToContact(tx, {
      ...{ id: event.id, eventId: event.id, accountId: event.account_id, contactId: contact.id, at: new Date(event.time) },
      occurred: { type: 'contact', contact },
    });
    await triggerByEvent(tx, deps, {
      event,
      contactId: contact.id,
      revision: contact.revision,
      trigger: { type: 'contact_updated' },
      fits: (trigger) =>
        trigger.type === 'contact_updated' &&
        (trigger.fields
          ? trigger.fields.some((field) => changed.some((path) => isWithin(path, fullFieldName(field))))
          : changed.some((path) => path !== 'last_seen_at')),
    });
  }),

  on(ContactDeleted, async (tx, { account_id, data }) => {
    const { contacts, runs, moveRun } = deps;
    const { contact_id, revision, merged_into } = data;
    if (!(await contacts.forget(tx, account_id, { id: contact_id, revision, mergedInto: merged_into }))) return;
    const survivor = merged_into === undefined ? undefined : await contacts.lockSurvivor(tx, account_id, merged_into);
    if (survivor === undefined) {
      for (const run of await runs.openOf(account_id, contact_id, maxRuns, tx)) {
        await moveRun(tx, run, { type: 'exit', reason: 'contact_deleted' });
      }
      return;
    }
    await deps.occurrences.give(tx, account_id, contact_id, survivor);
    const theirs = await runs.ofContact(account_id, contact_id, maxRuns, tx);
    await transferRuns(tx, deps, { transferred: theirs, to: survivor, why: `Contact ${contact_id} was merged into ${survivor}.` });
  }),
];

const isWithin = (path: string, field: string) => path === field || path.startsWith(`${field}.`);
