import { isDuplicateKey } from '@mp/service-kit/mongo';

/** The contacts are too large to write in one transaction; even a small change writes the whole contact. */
export class TooLargeTogether extends Error {}

/** Retries when one of the contacts was created between our read and our write; gives up after six attempts. */
export async function retryOnDuplicate<Result>(work: (attempt: number) => Promise<Result>): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!isDuplicateKey(error) || attempt === 5) throw error;
    }
  }
}

/**
 * Writes rows in order, all at once. If they are too large together, or a row keeps conflicting with a contact it cannot
 * find, splits them in half recursively: that row is rejected and the others are written.
 */
export async function inHalves<Row>(
  rows: readonly Row[],
  write: (part: readonly Row[]) => Promise<void>,
  refuse: (row: Row) => Promise<void>,
): Promise<void> {
  try {
    await write(rows);
  } catch (error) {
    if (!(error instanceof TooLargeTogether) && !isDuplicateKey(error)) throw error;
    const [only, ...more] = rows;
    if (only && more.length === 0) return refuse(only);
    const middle = Math.ceil(rows.length / 2);
    await inHalves(rows.slice(0, middle), write, refuse);
    await inHalves(rows.slice(middle), write, refuse);
  }
}
