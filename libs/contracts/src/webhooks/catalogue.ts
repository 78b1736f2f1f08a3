import * as activity from './activity-events.ts';
import * as approvals from './approval-events.ts';
import * as campaigns from './campaign-events.ts';
import * as contacts from './contact-events.ts';
import * as exports from './export-events.ts';
import * as forms from './form-events.ts';
import * as imports from './import-events.ts';
import * as messages from './message-events.ts';
import * as segments from './segment-events.ts';
import type { WebhookEvent } from './webhook-event.ts';

/** Every type of event that webhooks can receive. */
export const webhookEvents: readonly WebhookEvent[] = [
  contacts,
  exports,
  forms,
  imports,
  segments,
  campaigns,
  messages,
  approvals,
  activity,
].flatMap((part) => Object.values(part));

export const webhookEventTypes: readonly string[] = webhookEvents.map(({ type }) => type);
