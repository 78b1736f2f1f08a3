import { TraitsApplied } from '@mp/contracts/events/contacts';
import { on } from '@mp/service-kit/consume';
import type { EventsStore } from '../events/events-store.ts';
import type { SegmentCallsStore } from './segment-calls-store.ts';

type Deps = { events: Pick<EventsStore, 'markApplied'>; segmentCalls: Pick<SegmentCallsStore, 'addNotes'> };

/** Lets the events that follow an `identify` be counted, and records which fields the contact did not get. */
export const onTraitsApplied = ({ events, segmentCalls }: Deps) =>
  on(TraitsApplied, async (tx, { account_id, data: { key, refused } }) => {
    await events.markApplied(tx, account_id, key);
    const notes = refused.map(({ path, reason }) => `${path}: ${reason}`.slice(0, 300));
    if (notes.length > 0) tx.afterCommit(() => void segmentCalls.addNotes(account_id, key, notes).catch(() => undefined));
  });
