import { formId, segmentId } from '@mp/contracts/ids';
import { dependenciesOf } from '@mp/rules/dependencies';
import { Rule } from '@mp/rules/rule';
import { EventWhere } from '@mp/rules/where';
import { z } from 'zod';
import { StepId } from './step-id.ts';

export const namedSegment = segmentId.regex(/^segment_[0-9a-z]{26}$/, 'expected a segment id');

export const namedForm = formId.regex(/^form_[0-9a-z]{26}$/, 'expected a form id');

export const ofForm = { form_id: namedForm.optional().describe('Only this form. Default: any form.') };

const onMessage = {
  step_id: StepId.optional().describe('Only the email of this `send` step. Default: any email of the run.'),
};

/** Something that can happen to the contact of a run while the run is open. */
export const Occurrence = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('event'),
      name: z.string().trim().normalize('NFC').min(1).max(200).describe('The name of a tracked event.'),
      where: EventWhere.optional().describe('Conditions on the properties and the value of the event; all must match.'),
    }),
    z.strictObject({ type: z.literal('segment_entered'), segment_id: namedSegment }),
    z.strictObject({ type: z.literal('segment_left'), segment_id: namedSegment }),
    z.strictObject({
      type: z.literal('field'),
      when: Rule.describe('A rule on fields of the contact only; evaluated whenever the contact changes.'),
    }),
    z.strictObject({ type: z.literal('message_opened'), ...onMessage }),
    z.strictObject({ type: z.literal('message_clicked'), ...onMessage }),
    z.strictObject({ type: z.literal('form_submitted'), ...ofForm }),
    z.strictObject({ type: z.literal('form_confirmed'), ...ofForm }),
    z.strictObject({ type: z.literal('unsubscribed') }),
  ])
  .meta({
    id: 'WorkflowOccurrence',
    description: 'Something that can happen to the contact of a run. Automated opens and clicks do not count.',
  });
export type Occurrence = z.output<typeof Occurrence>;

export const Occurrences = z.array(Occurrence).min(1).max(10);

const unsubscribed: Rule = { field: 'status', op: 'eq', value: 'unsubscribed' };

/** The rule that is true while the occurrence holds; undefined for one that only happens at a moment. */
export function stateOf(occurrence: Occurrence): Rule | undefined {
  switch (occurrence.type) {
    case 'segment_entered':
      return { segment: occurrence.segment_id, op: 'in' };
    case 'segment_left':
      return { segment: occurrence.segment_id, op: 'not_in' };
    case 'field':
      return occurrence.when;
    case 'unsubscribed':
      return unsubscribed;
    default:
      return undefined;
  }
}

/** The key under which a run waits for the occurrence. Conditions are checked on the definition. */
export function watchKey(occurrence: Occurrence): string {
  switch (occurrence.type) {
    case 'event':
      return `event ${occurrence.name}`;
    case 'segment_entered':
    case 'segment_left':
      return `${occurrence.type} ${occurrence.segment_id}`;
    case 'field':
    case 'unsubscribed':
      return 'contact';
    default:
      return occurrence.type;
  }
}

/** Whether the rule of a `field` occurrence reads more than the contact's fields. */
export function readsMore(rule: Rule): boolean {
  const { events, campaigns, forms, segments } = dependenciesOf(rule);
  return events.length + campaigns.length + forms.length + segments.length > 0;
}
