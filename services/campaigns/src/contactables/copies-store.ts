import { MessageBounced, MessageClicked } from '@mp/contracts/events/campaigns';
import type { Outbox } from '@mp/service-kit/outbox';

export type CopiesStore = ReturnType<typeof createCopiesStore>;

/** What the outbox keeps for some days of what was told of a contact. It goes by itself; who is erased does not wait for that. */
export function createCopiesStore(outbox: Pick<Outbox, 'erase'>) {
  return {
    /** Of the events that may show more than ids: links, and what a mail server said. Returns how many; may be done twice. */
    erase(accountId: string, contactIds: readonly string[]): Promise<number> {
      return outbox.erase(accountId, {
        subject: { $in: [MessageClicked.subject, MessageBounced.subject] },
        'envelope.data.contact_id': { $in: [...contactIds] },
      });
    },
  };
}
