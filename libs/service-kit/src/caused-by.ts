import type { Origin, Transaction } from './mongo.ts';

/**
 * The transaction of a group as that of one of its causes: whatever is written through it names this cause, even what names no
 * contact of the group. Without a cause, which only a group has, the transaction itself.
 */
export const causedBy = (tx: Transaction, cause: Origin | undefined): Transaction =>
  cause === undefined ? tx : { ...tx, ...cause, causedBy: () => cause };
