import { EventAttributed, EventTracked } from '@mp/contracts/events/leadpulse';
import type { Outbox } from '@mp/service-kit/outbox';

export type CopiesStore = ReturnType<typeof createCopiesStore>;

/** What was told of a contact waits in the outbox for some days. It goes by itself; who is erased does not wait for that. */
export function createCopiesStore(outbox: Pick<Outbox, 'erase'>) {
  return {
    /** Returns how many. Receipts carry no more than ids, and stay. */
    erase(accountId: string, contactIds: readonly string[]): Promise<number> {
      const told = { $in: [EventTracked.subject, EventAttributed.subject] };
      return outbox.erase(accountId, {
        subject: told,
        'envelope.data.contact_id': { $in: [...contactIds] },
      });
    },
  };
}
