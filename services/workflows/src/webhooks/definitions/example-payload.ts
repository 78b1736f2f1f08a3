import { webhookEvents } from '@mp/contracts/webhooks/catalogue';
import { examplePayload, type WebhookPayload } from '@mp/contracts/webhooks/webhook-event';
import { type AccountId, newId } from '@mp/ids';

/** An example of this type for an account, as of now and marked as a test. */
export function examplePayloadFor(type: string, accountId: AccountId, now: Date): WebhookPayload {
  const event = webhookEvents.find((one) => one.type === type);
  if (!event) throw new Error(`The catalogue lacks ${type}.`);
  const id = newId('event').replace(/^evt_/, 'event_');
  return { ...examplePayload(event), id, timestamp: now.toISOString(), account_id: accountId, test: true };
}
