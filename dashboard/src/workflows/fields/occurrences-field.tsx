import { ActionIcon, Button, Input, NativeSelect } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { optionIn, optionsOf } from '../../form/options.ts';
import { EventField } from '../../names/event-field.tsx';
import { SegmentPicker } from '../../names/pickers.tsx';
import { stepName } from '../step-labels.ts';
import type { WorkflowStep } from '../workflows.ts';
import { type Fault, faultOf } from './fault.ts';
import classes from './fields.module.css';
import { FormIdField } from './form-id-field.tsx';
import { RuleField } from './rule-field.tsx';
import { WhereField } from './where-field.tsx';

export type Occurrence = (WorkflowStep & { type: 'wait_until' })['any'][number];

type Props = {
  label: string;
  steps: readonly WorkflowStep[];
  value: readonly Occurrence[];
  onChange: (value: Occurrence[]) => void;
  /** The path of the list. */
  path: string;
  fault: Fault;
};

const types: Record<Occurrence['type'], string> = {
  event: 'An event happens',
  message_opened: 'An email is opened',
  message_clicked: 'A link is clicked',
  form_submitted: 'A form is submitted',
  form_confirmed: 'A form is confirmed by email',
  segment_entered: 'Is in a segment',
  segment_left: 'Is not in a segment',
  field: 'Matches conditions',
  unsubscribed: 'Unsubscribes',
};

const maxOccurrences = 10;

function newOccurrence(type: Occurrence['type']): Occurrence {
  if (type === 'event') return { type, name: '' };
  if (type === 'segment_entered' || type === 'segment_left') return { type, segment_id: '' };
  if (type === 'field') return { type, when: { all: [{ field: 'tags', op: 'contains', value: '' }] } };
  return { type };
}

/** What a run waits for, or ends with: any one of these. */
export function OccurrencesField({ label, steps, value, onChange, path, fault }: Props) {
  const set = (index: number, next: Occurrence) => onChange(value.map((one, at) => (at === index ? next : one)));
  return (
    <Input.Wrapper label={label} labelElement="div" error={value.length === 0 ? fault(path) : undefined}>
      <ul className={classes.rows}>
        {value.map((one, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: occurrences have no identity except their position.
          <li key={index} className={classes.block}>
            <div className={classes.head}>
              <NativeSelect
                aria-label={`Condition ${index + 1}`}
                data={optionsOf(types)}
                value={one.type}
                onChange={(event) => set(index, newOccurrence(optionIn(types, event.currentTarget.value) ?? 'event'))}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={`Remove condition ${index + 1}`}
                onClick={() => onChange(value.filter((_, at) => at !== index))}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </div>
            <Fields occurrence={one} steps={steps} onChange={(next) => set(index, next)} fault={faultOf(fault.below(`${path}/${index}`))} />
          </li>
        ))}
      </ul>
      {value.length < maxOccurrences && (
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...value, newOccurrence('event')])}
        >
          {value.length === 0 ? 'Add condition' : 'Or'}
        </Button>
      )}
    </Input.Wrapper>
  );
}

type FieldsProps = { occurrence: Occurrence; steps: readonly WorkflowStep[]; onChange: (next: Occurrence) => void; fault: Fault };

function Fields({ occurrence, steps, onChange, fault }: FieldsProps) {
  switch (occurrence.type) {
    case 'event':
      return (
        <>
          <EventField label="Event" value={occurrence.name} onChange={(name) => onChange({ ...occurrence, name })} error={fault('/name')} />
          <WhereField
            label="Only if"
            prefix="properties."
            placeholder="total"
            value={occurrence.where ?? {}}
            onChange={(where) => onChange({ ...occurrence, where })}
            error={fault('/where')}
          />
        </>
      );
    case 'segment_entered':
    case 'segment_left':
      return (
        <SegmentPicker
          label="Segment"
          value={occurrence.segment_id}
          onChange={(segment_id) => onChange({ ...occurrence, segment_id })}
          error={fault('/segment_id')}
        />
      );
    case 'field':
      return (
        <RuleField
          label="Conditions"
          value={occurrence.when}
          onChange={(when) => onChange({ ...occurrence, when })}
          errors={fault.below('/when')}
        />
      );
    case 'form_submitted':
    case 'form_confirmed':
      return (
        <FormIdField
          value={occurrence.form_id}
          onChange={(form_id) => onChange({ type: occurrence.type, ...(form_id !== undefined && { form_id }) })}
          error={fault('/form_id')}
        />
      );
    case 'message_opened':
    case 'message_clicked': {
      const emails = steps.filter(({ type }) => type === 'send').map((step) => ({ value: step.id, label: stepName(step) }));
      return (
        <NativeSelect
          label="Email"
          data={[{ value: '', label: 'Any email of this run' }, ...emails]}
          value={occurrence.step_id ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onChange(value === '' ? { type: occurrence.type } : { ...occurrence, step_id: value })
          }
          error={fault('/step_id')}
        />
      );
    }
    default:
      return null;
  }
}
