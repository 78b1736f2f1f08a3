import type { Transaction } from '@mp/service-kit/mongo';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { Occurred } from '../runs/run.ts';
import { occurredKey } from '../runs/run-watches.ts';
import {
  happenedAt,
  keyOf,
  type Occasion,
  occurrenceKeyOf,
  type TriggerDeps,
  triggerByEvents,
  triggeredBy,
} from '../triggers/triggered-workflows.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import { type AdvanceWatchingRunsDeps, advanceWatchingRuns } from './advance-watching-runs.ts';

export type ApplyContactEvents = ReturnType<typeof createApplyContactEvents>;

/** An event of a contact. Runs of the contact may watch for what `occurred`. */
export type Happening = Occasion & { occurred?: Occurred };

type Deps = TriggerDeps &
  AdvanceWatchingRunsDeps & { workflows: Pick<WorkflowsStore, 'affectedBy'>; contacts: Pick<ContactsStore, 'lockSurvivors'> };

/**
 * Applies what happened to contacts to their open runs that watch for it, and then starts the runs that it triggers. If no workflow
 * of their accounts is affected, this costs one read for all of them.
 */
export function createApplyContactEvents(deps: Deps) {
  const { workflows, contacts } = deps;
  return async function applyContactEvents(tx: Transaction, happenings: readonly Happening[]) {
    const accountIdOf = ({ event }: Happening) => event.account_id;
    const affectedBy = await workflows.affectedBy(
      happenings.flatMap((one) => [
        occurrenceKeyOf(one),
        ...(one.occurred ? [{ accountId: accountIdOf(one), key: occurredKey(one.occurred) }] : []),
      ]),
      tx,
    );
    const watched = happenings.flatMap((one) => {
      const { occurred, event, contactId } = one;
      const isWatched = occurred && affectedBy({ accountId: event.account_id, key: occurredKey(occurred) }).watched;
      return isWatched ? [{ id: occurrenceIdOf(one), event, contactId, at: happenedAt(one), occurred }] : [];
    });
    const triggering = await triggeredBy(tx, deps, { occasions: happenings, affectedBy });
    const concerned = new Map(
      [...watched, ...triggering.map(({ occasion }) => occasion)].map(({ event, contactId }) => [
        contactId,
        { accountId: event.account_id, contactId },
      ]),
    );
    if (concerned.size === 0) return;
    const survivors = await contacts.lockSurvivors(tx, [...concerned.values()]);
    if (new Set(survivors.values()).size < survivors.size) throw new Error('Events of contacts that were merged take effect one by one.');
    const asSurvivor = <One extends { contactId: Happening['contactId'] }>(one: One): One[] => {
      const contactId = survivors.get(one.contactId);
      return contactId === undefined ? [] : [{ ...one, contactId }];
    };
    await advanceWatchingRuns(tx, deps, watched.flatMap(asSurvivor));
    await triggerByEvents(
      tx,
      deps,
      triggering.flatMap(({ occasion, fitting }) => asSurvivor(occasion).map((one) => ({ occasion: one, fitting }))),
    );
  };
}

/** Contacts that enter a segment together share the key of their runs. */
const occurrenceIdOf = (one: Happening) => (one.occurred?.type === 'segment_entered' ? one.event.id : keyOf(one));
