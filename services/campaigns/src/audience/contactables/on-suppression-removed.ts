import { SuppressionRemoved } from '@mp/contracts/events/contacts';
import { on } from '@mp/service-kit/consume';
import type { SuppressionsStore } from './suppressions-store.ts';

/** A bounced address may be emailed again once its suppression is removed. */
export const onSuppressionRemoved = (suppressions: SuppressionsStore) =>
  on(SuppressionRemoved, async (tx, { account_id, data }) => {
    if (data.kind === 'email') await suppressions.lift(tx, account_id, data.hash, new Date(data.at));
  });
