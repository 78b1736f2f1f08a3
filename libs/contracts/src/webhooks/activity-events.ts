import { z } from 'zod';
import { EventTracked } from '../events/leadpulse.ts';
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
