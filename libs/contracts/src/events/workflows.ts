import { z } from 'zod';
import { AccountErasureReceipt } from '../account-erasure.ts';
import { approvalChanged, approvalSettingChanged } from '../approval.ts';
import { ErasureReceipt } from '../erasure.ts';
import { defineEvent } from '../event.ts';
import { contactId, runId, segmentId, templateId, webhookId, workflowId } from '../ids.ts';

const effect = z.object({
  effect_key: z.string().describe('`run:sequence`; the effect is carried out once per key.'),
  run_id: runId,
  workflow_id: workflowId,
  contact_id: contactId,
});

const ofContact = ({ contact_id }: z.output<typeof effect>) => [contact_id];

export const ContactEffectRequested = defineEvent({
  type: 'workflows.contact_effect.requested',
  version: 1,
  meaning: 'A run requests a change of a contact; contacts replies with contacts.effect.completed.',
  subjectsOf: ofContact,
  data: effect.extend({
    change: z.discriminatedUnion('type', [
      z.object({
        type: z.literal('update_contact'),
        members: z.record(z.string(), z.unknown()).describe('The fields to change, as in the body of PUT /v2/contacts/:id.'),
        increment: z
          .record(z.string(), z.number())
          .optional()
          .describe('Numbers to add to attributes, by `attributes.<key>`; a missing attribute counts as 0.'),
      }),
      z.object({ type: z.literal('add_tag'), tag: z.string() }),
      z.object({ type: z.literal('remove_tag'), tag: z.string() }),
    ]),
  }),
});

export const SendEffectRequested = defineEvent({
  type: 'workflows.send_effect.requested',
  version: 1,
  meaning: 'A run requests a message; campaigns replies with campaigns.effect.completed once it is sent or refused.',
  subjectsOf: ofContact,
  data: effect.extend({
    step_id: z.string().optional().describe('The step that requests it.'),
    variant: z.string().optional().describe('The variant of the email that the step sends; omitted without variants.'),
    delivered_at: z.iso
      .datetime()
      .optional()
      .describe('Set when the message was sent before a restore: when it was sent. It is recorded as sent and not sent again.'),
    data: z.record(z.string(), z.unknown()).optional().describe('The data of the run, which templates read as `data`.'),
    responses: z
      .record(z.string(), z.record(z.string(), z.unknown()))
      .optional()
      .describe('What webhooks of the run captured, by step and name, which templates read as `responses`.'),
    category: z.enum(['marketing', 'transactional']).default('marketing').describe('`transactional` needs no consent.'),
    message: z.object({
      template_id: templateId.optional().describe('The template that the content comes from.'),
      template_version: z.number().int().optional().describe('The version of it that was approved; omitted for the current one.'),
      subject: z.string().nullable().describe('Null for the subject of the template.'),
      preview_text: z.string().nullable(),
      from: z.object({ email: z.string(), name: z.string().nullable() }),
      reply_to: z.string().nullable(),
      html: z.string().nullable().describe('Null with `template_id`.'),
      text: z.string().nullable(),
      track: z.object({ opens: z.boolean(), clicks: z.boolean() }),
    }),
  }),
});

export const TrackEffectRequested = defineEvent({
  type: 'workflows.track_effect.requested',
  version: 1,
  meaning: 'A run tracks an event of its contact; leadpulse stores it like any other event. There is no reply.',
  subjectsOf: ofContact,
  data: effect.extend({
    event_id: z.string().describe('The id of the tracked event.'),
    event: z.string(),
    properties: z.record(z.string(), z.unknown()),
    time: z.iso.datetime(),
  }),
});

export const NotifyEffectRequested = defineEvent({
  type: 'workflows.notify_effect.requested',
  version: 1,
  meaning: 'A run notifies a user of the account by email; the gateway replies with platform.notify_effect.completed.',
  subjectsOf: ofContact,
  data: effect.extend({ user_id: z.string(), subject: z.string(), text: z.string() }),
});

const run = z.object({
  run_id: runId,
  workflow_id: workflowId,
  workflow_name: z.string(),
  contact_id: contactId,
  at: z.iso.datetime(),
});

export const RunStarted = defineEvent({ type: 'workflows.run.started', version: 1, meaning: 'A contact entered a workflow.', data: run });

export const RunEnded = defineEvent({
  type: 'workflows.run.ended',
  version: 1,
  meaning: 'A run ended.',
  data: run.extend({ state: z.enum(['completed', 'exited', 'failed', 'cancelled']), reason: z.string().nullable() }),
});

export const EffectDelivered = defineEvent({
  type: 'workflows.effect.delivered',
  version: 1,
  meaning:
    'A webhook of a run was called and returned 2xx, or its message was sent. The effect left the platform and must not be repeated.',
  data: effect.extend({ type: z.enum(['webhook', 'send']), step: z.string(), at: z.iso.datetime() }),
});

export const WebhookDelivered = defineEvent({
  type: 'workflows.webhook.delivered',
  version: 1,
  meaning: 'Events that the receiver of a webhook accepted, collected over a second. They left the platform and must not be sent again.',
  data: z.object({
    webhook_id: webhookId,
    event_ids: z.array(z.string()).min(1).max(1_000).describe('IDs as webhooks show them: `event_…`.'),
    at: z.iso.datetime(),
  }),
});

export const WebhookDisabled = defineEvent({
  type: 'workflows.webhook.disabled',
  version: 1,
  meaning:
    'A webhook was disabled, because its receiver responded with 410 or every attempt failed for five days. The gateway notifies the admins.',
  data: z.object({
    webhook_id: webhookId,
    url: z.string(),
    reason: z.enum(['gone', 'failing']),
    at: z.iso.datetime(),
  }),
});

export const WorkflowsContactErased = defineEvent({
  type: 'workflows.contact.erased',
  version: 1,
  meaning: 'Confirms contacts.contact.erased: workflows has removed all personal data of the contact.',
  data: ErasureReceipt,
});

export const ReferencesChanged = defineEvent({
  type: 'workflows.references.changed',
  version: 1,
  meaning: 'The segments that a workflow uses in its trigger and branches. Empty once it is archived or deleted.',
  data: z.object({
    workflow_id: workflowId,
    name: z.string(),
    revision: z.number().int().describe('Revision of the workflow; a deletion increases it by one.'),
    segment_ids: z.array(segmentId).max(10_000),
  }),
});

export const WorkflowsAccountErased = defineEvent({
  type: 'workflows.account.erased',
  version: 1,
  meaning: 'Confirms platform.account.erased: workflows no longer stores anything about the account.',
  data: AccountErasureReceipt,
});

export const WorkflowApprovalChanged = defineEvent({
  type: 'workflows.workflow.approval_changed',
  version: 1,
  meaning: 'Activating a workflow needs approval: it was requested, approved or rejected, or the request was withdrawn by a change.',
  data: z.object({ workflow_id: workflowId, ...approvalChanged }),
});

export const WorkflowApprovalSettingChanged = defineEvent({
  type: 'workflows.approval_setting.changed',
  version: 1,
  meaning: 'Whether workflows need approval changed; the gateway adds it to the audit log.',
  data: approvalSettingChanged,
});
