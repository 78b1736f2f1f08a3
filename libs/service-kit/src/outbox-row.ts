/** One event as the broker gets it: the envelope is written as text once. `tells` is what its type says of the data. */
export type OutboxEvent = { id: string; subject: string; account_id: string; tells: string[]; envelope: string };

/**
 * Events of one transaction, in their order: to write, read and mark a row costs the database the same for one event as
 * for fifty. `pending` is there until the broker has all of them; then `published_at` is, and the row goes after seven days.
 */
export type OutboxRow = { _id: string; events: OutboxEvent[]; pending?: true; published_at?: Date };

/** Most of one row, so that what a relay reads at once stays small. */
const mostOfRow = { events: 50, characters: 2 ** 20 };

export const eventCount = (rows: readonly OutboxRow[]) => rows.reduce((count, { events }) => count + events.length, 0);

/** As few rows as hold them. The id of a row is that of its first event. */
export function rowsOf(events: readonly OutboxEvent[]): OutboxRow[] {
  const rows: OutboxRow[] = [];
  let room = { events: 0, characters: 0 };
  let row: OutboxEvent[] = [];
  for (const event of events) {
    const { length } = event.envelope;
    if (room.events < 1 || room.characters < length) {
      row = [];
      rows.push({ _id: event.id, events: row, pending: true });
      room = { ...mostOfRow };
    }
    row.push(event);
    room = { events: room.events - 1, characters: room.characters - length };
  }
  return rows;
}
