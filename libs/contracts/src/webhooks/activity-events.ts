import { z } from 'zod';
import { EventTracked, VisitorIdentified } from '../events/leadpulse.ts';
import { ApiKeyCreated, ApiKeyRevoked, AuditEntryCreated } from '../events/platform.ts';
import { RunEnded, RunStarted } from '../events/workflows.ts';
import { defineWebhookEvent } from './webhook-event.ts';

export const eventTracked = defineWebhookEvent({
  type: 'event.tracked',
  summary: 'LeadPulse accepted an event; filter `data.event` for its name',
  source: EventTracked,
  data: EventTracked.data,
  content: ({ data }) => ({ data, contactIds: data.contact_id === null ? [] : [data.contact_id] }),
});

export const runStarted = defineWebhookEvent({
  type: 'workflow.run_started',
  summary: 'A contact entered a workflow',
  source: RunStarted,
  data: RunStarted.data,
  content: ({ data }) => ({ data, contactIds: [data.contact_id] }),
});

const ended = RunEnded.data.extend({ state: z.enum(['completed', 'exited', 'cancelled']) });

export const runCompleted = defineWebhookEvent({
  type: 'workflow.run_completed',
  summary: 'A run ended: it completed, exited or was cancelled',
  source: RunEnded,
  data: ended,
  content: ({ data: { state, ...data } }) => (state === 'failed' ? undefined : { data: { ...data, state }, contactIds: [data.contact_id] }),
});

export const runFailed = defineWebhookEvent({
  type: 'workflow.run_failed',
  summary: 'A run failed',
  source: RunEnded,
  data: RunEnded.data.extend({ state: z.literal('failed') }),
  content: ({ data: { state, ...data } }) => (state === 'failed' ? { data: { ...data, state }, contactIds: [data.contact_id] } : undefined),
  example: { state: 'failed', reason: 'template_error' },
});

export const visitorIdentified = defineWebhookEvent({
  type: 'visitor.identified',
  summary: 'The contact of a visitor became known',
  source: VisitorIdentified,
  data: VisitorIdentified.data,
  content: ({ data }) => ({ data, contactIds: [data.contact_id] }),
});

export const auditEntryCreated = defineWebhookEvent({
  type: 'audit_entry.created',
  summary: 'An entry was added to the audit log; `*` does not include it',
  source: AuditEntryCreated,
  data: AuditEntryCreated.data,
  content: ({ data }) => ({ data, contactIds: [] }),
});

export const apiKeyCreated = defineWebhookEvent({
  type: 'api_key.created',
  summary: 'An API key was created',
  source: ApiKeyCreated,
  data: ApiKeyCreated.data,
  content: ({ data }) => ({ data, contactIds: [] }),
});

export const apiKeyRevoked = defineWebhookEvent({
  type: 'api_key.revoked',
  summary: 'An API key was revoked',
  source: ApiKeyRevoked,
  data: ApiKeyRevoked.data,
  content: ({ data }) => ({ data, contactIds: [] }),
});
