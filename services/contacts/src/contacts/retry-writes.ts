import { isDuplicateKey } from '@mp/service-kit/mongo';

/** A small change of a large contact writes all of it. */
export class TooLargeTogether extends Error {}

/** Somebody may create one of these contacts between our look and our write: then look again. */
export async function againOnDuplicate<Result>(work: (attempt: number) => Promise<Result>): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!isDuplicateKey(error) || attempt === 5) throw error;
    }
  }
}

/**
 * Writes rows in their order: all at once, or in halves, and halves of those, when they are too large together or one of
 * them goes on meeting a contact it cannot see. That one is refused, and the others are written.
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
