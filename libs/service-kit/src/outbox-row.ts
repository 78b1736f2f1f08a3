import type { Lane } from '@mp/contracts/lanes';
import type { AccountId } from '@mp/ids';

/** One event as it is published; the envelope is serialised once. `tells` is the result of its type's `subjectsOf`. */
export type OutboxEvent = { id: string; subject: string; account_id: AccountId; tells: string[]; envelope: string };

/**
 * Events of one account and lane that were written in one transaction, in order: writing, reading and updating a row costs the same
 * for one event as for fifty. `pending` is set until NATS has acknowledged all of them; then `published_at` is set, and the row
 * expires after seven days. Rows of version 0.1.0 have no account and no lane.
 */
export type OutboxRow = {
  _id: string;
  events: OutboxEvent[];
  account_id?: AccountId | null;
  /** Absent in the live lane. */
  lane?: 'bulk';
  pending?: true;
  published_at?: Date;
};

/** Limits of one row, so that a relay reads small batches. */
const maxRow = { events: 50, characters: 2 ** 20 };

export const laneOf = ({ lane }: OutboxRow): Lane => lane ?? 'live';

export const eventCount = (rows: readonly OutboxRow[]) => rows.reduce((count, { events }) => count + events.length, 0);

/** Groups events into as few rows as possible. The id of a row is that of its first event. */
export function rowsOf(all: readonly OutboxEvent[], lane: Lane): OutboxRow[] {
  const rows: OutboxRow[] = [];
  for (const [account_id, events] of Map.groupBy(all, (event) => event.account_id)) {
    let room = { events: 0, characters: 0 };
    let row: OutboxEvent[] = [];
    for (const event of events) {
      const { length } = event.envelope;
      if (room.events < 1 || room.characters < length) {
        row = [];
        rows.push({ _id: event.id, account_id, ...(lane === 'bulk' && { lane: 'bulk' as const }), events: row, pending: true });
        room = { ...maxRow };
      }
      row.push(event);
      room = { events: room.events - 1, characters: room.characters - length };
    }
  }
  return rows;
}
