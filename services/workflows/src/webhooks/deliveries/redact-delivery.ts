import type { Grant } from '@mp/contracts/permissions';
import { eventRefusal } from '@mp/contracts/webhooks/read-scopes';
import type { Attempt, Delivery, DeliveryDetails } from './delivery.ts';

// What a receiver responds with may repeat what it was sent.
const withoutResponse = (attempt: Attempt): Attempt => ({ ...attempt, response: null });

/** A delivery in a list, for a credential: without responses if it may not read what the event is about. */
export const redactListedDelivery = (grant: Grant, delivery: Delivery): Delivery =>
  eventRefusal(grant, delivery.type) === undefined
    ? delivery
    : { ...delivery, last_attempt: delivery.last_attempt && withoutResponse(delivery.last_attempt) };

/** A delivery for a credential: without its payload and responses if it may not read what the event is about. */
export const redactDelivery = (grant: Grant, delivery: DeliveryDetails): DeliveryDetails =>
  eventRefusal(grant, delivery.type) === undefined
    ? delivery
    : { ...delivery, ...redactListedDelivery(grant, delivery), payload: null, attempts: delivery.attempts.map(withoutResponse) };
