import type { AccountId, ContactId, WebhookId } from '@mp/ids';
import type { Attempt, DeliveryStatus } from './delivery.ts';

/** An attempt in its delivery, where earlier releases kept the log. */
export type EmbeddedAttempt = Omit<Attempt, 'at'> & { at: Date };

export type DeliveryDocument = {
  _id: string;
  account_id: AccountId;
  webhook_id: WebhookId;
  event_id: string;
  type: string;
  status: DeliveryStatus;
  test?: boolean;
  /** The JSON that is sent and signed. */
  payload: string;
  contact_ids: ContactId[];
  /** The attempts that earlier releases made; empty in a new delivery, because instances of them may still read it. */
  attempts: EmbeddedAttempt[];
  attempt_count: number;
  /** Attempts since the delivery was created or replayed. */
  tries: number;
  /** Only while it is pending: when the next attempt is due, or until when a worker holds it. */
  due_at?: Date;
  /** The worker that holds it. */
  claim?: string;
  /** The batch it is sent in, from its first attempt to its replay. */
  batch_id?: string;
  /** When the last of its attempts was made. */
  last_attempt_at?: Date;
  created_at: Date;
};

/** A delivery that a worker holds. */
export type Held = {
  id: string;
  accountId: AccountId;
  webhookId: WebhookId;
  eventId: string;
  payload: string;
  contactIds: ContactId[];
  /** All attempts before this one. */
  attempts: number;
  tries: number;
  test: boolean;
  claim: string;
  batchId: string | undefined;
  createdAt: Date;
};

export const heldOf = ({ _id, account_id, webhook_id, event_id, payload, tries, ...rest }: DeliveryDocument): Held => ({
  id: _id,
  accountId: account_id,
  webhookId: webhook_id,
  eventId: event_id,
  payload,
  contactIds: rest.contact_ids,
  attempts: rest.attempt_count,
  tries,
  test: rest.test ?? false,
  claim: rest.claim ?? '',
  batchId: rest.batch_id,
  createdAt: rest.created_at,
});
