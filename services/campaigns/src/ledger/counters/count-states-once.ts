import { trustedId } from '@mp/ids';
import { createOnce } from '@mp/service-kit/once';
import type { Parts } from '@mp/service-kit/service-parts';
import { pendingStates } from '../recipients/recipient.ts';
import { recipientsOf } from '../recipients/recipient-row.ts';

const atOnce = 1_000;

/** Schedules counting of the rows whose state an earlier release did not count. */
export function createCountStatesOnce({ mongo, logger }: Pick<Parts, 'mongo' | 'logger'>) {
  const recipients = recipientsOf(mongo.db);
  return createOnce({ db: mongo.db, logger }, 'count states', async (after) => {
    const rows = await recipients
      .find(after === null ? {} : { _id: { $gt: trustedId<'recipient'>(after) } }, { projection: { account_id: 1 } })
      .sort({ _id: 1 })
      .limit(atOnce)
      .toArray();
    const ids = rows.map(({ _id }) => _id);
    await recipients.updateMany(
      { _id: { $in: ids }, account_id: { $exists: true }, state: { $nin: [...pendingStates] }, counted: { $exists: false } },
      { $set: { tally_changed: true } },
    );
    return rows.length < atOnce ? null : (ids.at(-1) ?? null);
  });
}
