import { ContactCreated, ContactDeleted, ContactUpdated } from '@mp/contracts/events/contacts';
import { on } from '@mp/service-kit/consume';
import type { MoveRun } from '../runs/move-run.ts';
import type { RunsStore } from '../runs/runs-store.ts';
import { type TriggerDeps, triggerByEvent } from '../triggers/trigger-event.ts';

type Deps = TriggerDeps & { runs: RunsStore; moveRun: MoveRun };

/** More runs than one contact has open at once; the effects of any beyond are refused. */
const mostOpen = 500;

/** Keeps the projection, begins what contacts trigger, and ends the runs of those who are gone. */
export const onContactChanged = (deps: Deps) => [
  on(ContactCreated, async (tx, event) => {
    const { contact } = event.data;
    await deps.contacts.keep(tx, event.account_id, contact);
    // One that a merge gave back was created before.
    if (contact.revision > 1) return;
    await triggerByEvent(tx, deps, { event, contactId: contact.id, revision: contact.revision, trigger: { type: 'contact_created' } });
  }),

  on(ContactUpdated, async (tx, event) => {
    const { contact, changed } = event.data;
    await deps.contacts.keep(tx, event.account_id, contact);
    await triggerByEvent(tx, deps, {
      event,
      contactId: contact.id,
      revision: contact.revision,
      trigger: { type: 'contact_updated' },
      fits: (trigger) =>
        trigger.type === 'contact_updated' &&
        (trigger.fields
          ? trigger.fields.some((field) => changed.some((path) => isWithin(path, field)))
          : changed.some((path) => path !== 'last_seen_at')),
    });
  }),

  on(ContactDeleted, async (tx, { account_id, data }) => {
    const { contacts, runs, moveRun } = deps;
    await contacts.forget(tx, account_id, data.contact_id, data.revision);
    for (const run of await runs.openOf(account_id, data.contact_id, mostOpen, tx)) {
      await moveRun(tx, run, { type: 'exit', reason: 'contact_deleted' });
    }
  }),
];

const isWithin = (path: string, field: string) => path === field || path.startsWith(`${field}.`);
