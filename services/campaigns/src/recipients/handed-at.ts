import type { RecipientDocument } from './recipients-store.ts';

/** How long the mail server may look into a message before it says that it accepts it: that opens it and follows its links. */
const acceptingMs = 30_000;

/** From when on a person can have the message: since the mail server accepted it, or could have when its answer is not known. */
export function handedAt({ sent_at, handed_at }: Pick<RecipientDocument, 'sent_at' | 'handed_at'>): Date | null {
  if (sent_at || !handed_at) return sent_at;
  return new Date(handed_at.getTime() + acceptingMs);
}

/** Whether what was done with it then proves that a message arrived whose answer is not known. */
export function provesArrival(row: Pick<RecipientDocument, 'sent_at' | 'handed_at'>, at: Date | undefined): boolean {
  const from = handedAt(row);
  return at !== undefined && from !== null && at >= from;
}
