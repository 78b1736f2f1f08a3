import { ContactErased } from '@mp/contracts/events/contacts';
import { WorkflowsContactErased } from '@mp/contracts/events/workflows';
import type { Clock } from '@mp/service-kit/clock';
import { on } from '@mp/service-kit/consume';
import type { Outbox } from '@mp/service-kit/outbox';
import type { CandidatesStore } from '../candidates/candidates-store.ts';
import type { DeliveredStore } from '../journal/delivered-store.ts';
import type { OccurrencesStore } from '../occurrences/occurrences-store.ts';
import type { RunsStore } from '../runs/runs-store.ts';
import type { ErasedContacts } from '../webhooks/deliveries/erased-contacts-store.ts';
import type { ContactsStore } from './contacts-store.ts';

type Deps = {
  contacts: ContactsStore;
  runs: RunsStore;
  occurrences: OccurrencesStore;
  candidates: Pick<CandidatesStore, 'erase'>;
  delivered: DeliveredStore;
  erased: Pick<ErasedContacts, 'erase'>;
  outbox: Outbox;
  clock: Clock;
};

/** Deletes the runs of a person under every id the person had, and the stored webhook payloads, and confirms it. These ids cannot enter a workflow again. */
export const onContactErased = ({ contacts, runs, occurrences, candidates, delivered, erased, outbox, clock }: Deps) =>
  on(ContactErased, async (tx, { account_id, data }) => {
    const { erasure_id, contact_id, merged_ids, revision } = data;
    for (const id of [contact_id, ...merged_ids]) await contacts.forget(tx, account_id, { id, revision });
    const removed = {
      runs: await runs.erase(tx, account_id, [contact_id, ...merged_ids]),
      webhook_deliveries: await erased.erase(tx, account_id, [contact_id, ...merged_ids]),
    };
    await occurrences.erase(tx, account_id, [contact_id, ...merged_ids]);
    await candidates.erase(tx, account_id, [contact_id, ...merged_ids]);
    await delivered.erase(tx, account_id, [contact_id, ...merged_ids]);
    await outbox.add(tx, WorkflowsContactErased, account_id, { erasure_id, contact_id, removed, at: clock().toISOString() });
  });
