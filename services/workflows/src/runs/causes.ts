import type { Origin, Transaction } from '@mp/service-kit/mongo';

/** The transaction as that of one of its causes: whatever is written through it names this cause. */
export const causedBy = (tx: Transaction, cause: Origin | undefined): Transaction =>
  cause === undefined ? tx : { ...tx, ...cause, causedBy: () => cause };

/** The transaction with another correlation id, also for what an event of its group causes. */
export function correlatedBy(tx: Transaction, correlationId: string): Transaction {
  const { causedBy: causeOf } = tx;
  return { ...tx, correlationId, ...(causeOf && { causedBy: (data: unknown) => ({ ...causeOf(data), correlationId }) }) };
}
