import { z } from 'zod';
import { ErasureReceipt } from '../erasure.ts';
import { defineEvent } from '../event.ts';

const effect = z.object({
  effect_key: z.string().describe('`run:sequence`; whoever carries it out does so once per key'),
  run_id: z.string(),
  workflow_id: z.string(),
  contact_id: z.string(),
});

export const ContactEffectRequested = defineEvent(
  'workflows.contact_effect.requested',
  1,
  'A run asks contacts for a change; contacts answers with contacts.effect.completed.',
  effect.extend({
    change: z.discriminatedUnion('type', [
      z.object({
        type: z.literal('update_contact'),
        members: z.record(z.string(), z.unknown()).describe('as the body of PUT /v2/contacts/:id'),
      }),
      z.object({ type: z.literal('add_tag'), tag: z.string() }),
      z.object({ type: z.literal('remove_tag'), tag: z.string() }),
    ]),
  }),
);

export const SendEffectRequested = defineEvent(
  'workflows.send_effect.requested',
  1,
  'A run asks campaigns for a message; campaigns answers with campaigns.effect.completed once it was sent or will not be.',
  effect.extend({
    delivered_at: z.iso
      .datetime()
      .optional()
      .describe('when the same message was sent already, before a restore: it is recorded as sent and not sent again'),
    message: z.object({
      subject: z.string(),
      preview_text: z.string().nullable(),
      from: z.object({ email: z.string(), name: z.string().nullable() }),
      reply_to: z.string().nullable(),
      html: z.string(),
      text: z.string().nullable(),
      track: z.object({ opens: z.boolean(), clicks: z.boolean() }),
    }),
  }),
);

const run = z.object({
  run_id: z.string(),
  workflow_id: z.string(),
  workflow_name: z.string(),
  contact_id: z.string(),
  at: z.iso.datetime(),
});

export const RunStarted = defineEvent('workflows.run.started', 1, 'A contact began a workflow.', run);

export const RunEnded = defineEvent(
  'workflows.run.ended',
  1,
  'A run came to its end.',
  run.extend({ state: z.enum(['completed', 'exited', 'failed', 'cancelled']), reason: z.string().nullable() }),
);

export const EffectDelivered = defineEvent(
  'workflows.effect.delivered',
  1,
  'A webhook of a run was called and returned 2xx, or its message was sent: it left the platform and must not leave again.',
  effect.extend({ type: z.enum(['webhook', 'send']), step: z.string(), at: z.iso.datetime() }),
);

export const WorkflowsContactErased = defineEvent(
  'workflows.contact.erased',
  1,
  'Answer to contacts.contact.erased: nothing personal of the contact is left in workflows.',
  ErasureReceipt,
);

export const ReferencesChanged = defineEvent(
  'workflows.references.changed',
  1,
  'Which segments a workflow uses in its trigger and its branches. None once it is archived or deleted.',
  z.object({
    workflow_id: z.string(),
    name: z.string(),
    revision: z.number().int().describe('of the workflow; a deletion is one more'),
    segment_ids: z.array(z.string()).max(10_000),
  }),
);
