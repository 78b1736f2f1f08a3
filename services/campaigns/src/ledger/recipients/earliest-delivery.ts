type Handed = { sent_at: Date | null; handed_at?: Date };

/** How long a mail server may scan an email (open it and follow its links) before accepting it. */
const maxAcceptingMs = 30_000;

/**
 * The earliest time at which a person can have the email: when the mail server accepted it, or the latest it could have
 * if its response is unknown.
 */
export function earliestDelivery({ sent_at, handed_at }: Handed): Date | null {
  if (sent_at || !handed_at) return sent_at;
  return new Date(handed_at.getTime() + maxAcceptingMs);
}

/** Whether an engagement at `at` proves delivery although the mail server's response is unknown. */
export function provesDelivery(row: Handed, at: Date | undefined): boolean {
  const from = earliestDelivery(row);
  return at !== undefined && from !== null && at >= from;
}
