import { fieldLabel } from '../contact-fields/field-labels.ts';
import { eventPhrase } from '../names/event-labels.ts';
import type { NameOf } from '../names/names.ts';
import { dayNames } from './day-names.ts';
import { cronParts } from './fields/cron.ts';
import { formLabel, ruleLine } from './step-labels.ts';
import type { Workflow } from './workflows.ts';

/** A trigger in words. */
export function triggerLabel(trigger: Workflow['trigger'], named: NameOf): string {
  const words = occasionLabel(trigger, named);
  return 'when' in trigger && trigger.when ? `${words}, if ${ruleLine(trigger.when, named)}` : words;
}

function occasionLabel(trigger: Workflow['trigger'], named: NameOf): string {
  switch (trigger.type) {
    case 'manual':
      return 'When triggered manually';
    case 'segment_entered':
      return `When a contact enters the segment ${named(trigger.segment_id)}`;
    case 'segment_left':
      return `When a contact leaves the segment ${named(trigger.segment_id)}`;
    case 'contact_created':
      return 'When a contact is created';
    case 'contact_updated':
      return trigger.fields?.length
        ? `When a contact’s ${trigger.fields.map(fieldLabel).join(' or ')} changes`
        : 'When a contact is updated';
    case 'event':
      return `When ${eventPhrase(trigger.name)} is tracked for a contact`;
    case 'message_opened':
      return `When ${emailLabel(trigger, named)} is opened`;
    case 'message_clicked':
      return `When ${trigger.url ? `the link ${trigger.url}` : 'a link'} in ${emailLabel(trigger, named)} is clicked`;
    case 'message_bounced':
      return `When ${emailLabel(trigger, named)} bounces`;
    case 'message_refused':
      return `When the mail server refuses ${emailLabel(trigger, named)}`;
    case 'form_submitted':
      return `When ${formLabel(trigger, named)} is submitted`;
    case 'form_confirmed':
      return `When ${formLabel(trigger, named)} is confirmed by email`;
    case 'webhook_received':
      return 'When another system calls the URL of the workflow';
    case 'schedule':
      return `${scheduleLabel(trigger.cron)} (${trigger.timezone ?? 'UTC'}), for each contact in the segment ${named(trigger.segment_id)}`;
    case 'date':
      return `On each contact’s ${fieldLabel(trigger.field)}${trigger.yearly ? ', every year' : ''}, at ${trigger.time ?? '09:00'} local time`;
  }
}

/** The email that starts a run. */
function emailLabel({ campaign_id, workflow_id }: { campaign_id?: string; workflow_id?: string }, named: NameOf): string {
  if (campaign_id !== undefined) return `the campaign ${named(campaign_id)}`;
  return workflow_id === undefined ? 'an email' : `an email of the workflow ${named(workflow_id)}`;
}

function scheduleLabel(cron: string): string {
  const parts = cronParts(cron);
  if (!parts) return `On the schedule ${cron}`;
  return `${parts.days.length === 0 ? 'Every day' : `Every ${parts.days.map((day) => dayNames[day]).join(', ')}`} at ${parts.time}`;
}
