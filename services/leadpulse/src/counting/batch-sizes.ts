import type { AccountId } from '@mp/ids';

/** The most events of a batch, while counting them is quick; and the number that is always reasonable. */
export const maxBatch = 2_000;
const usualBatch = 500;

/** How long others wait for a batch of an account, as far as its number of events decides. */
const batchMs = 250;

const growth = 1.5;

/**
 * How many events of an account are counted at once. A batch grows while the account is behind and the machine is quick, so that the writes
 * of a visitor, session or rollup row are shared by more events. After a failure it is half as large, down to the event at fault.
 */
export function createBatchSizes() {
  const sizes = new Map<AccountId, number>();
  const sizeOf = (accountId: AccountId) => sizes.get(accountId) ?? usualBatch;
  return {
    of: sizeOf,

    /** An account that is not behind starts again with the usual size. */
    counted(accountId: AccountId, count: number, ms: number) {
      const size = sizeOf(accountId);
      const quickly = Math.max(usualBatch, Math.floor((count * batchMs) / Math.max(ms, 1)));
      if (count >= size) sizes.set(accountId, Math.min(maxBatch, quickly, Math.ceil(size * growth)));
      else if (count === 0 || size >= usualBatch) sizes.delete(accountId);
    },

    failed(accountId: AccountId, count: number) {
      sizes.set(accountId, Math.max(1, Math.floor(count / 2)));
    },
  };
}
