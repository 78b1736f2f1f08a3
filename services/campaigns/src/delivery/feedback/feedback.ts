import { isId, type RecipientId } from '@mp/ids';

/** What a provider or a report says about one email. */
export type Feedback = {
  /** Unique per report, so that a report that comes twice counts once. */
  id: string;
  recipientId: RecipientId;
  kind: 'delivered' | 'bounced' | 'complained';
  /** For a bounce: whether the address itself is undeliverable. */
  hard: boolean;
  detail: string | null;
  at: Date;
};

/** The recipient that the Message-ID of one of our emails names; undefined for any other Message-ID. */
export function recipientOfMessageId(messageId: string | undefined): RecipientId | undefined {
  const [, suffix] = /^\s*<?recipient\.([0-9a-z]{26})@/.exec(messageId ?? '') ?? [];
  const id = `recipient_${suffix}`;
  return isId('recipient', id) ? id : undefined;
}
