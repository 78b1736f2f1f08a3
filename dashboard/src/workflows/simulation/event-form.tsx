import { NativeSelect, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { DurationField } from '../../form/duration-field.tsx';
import { Form } from '../../form/form.tsx';
import { FormActions } from '../../form/form-actions.tsx';
import { optionIn } from '../../form/options.ts';
import { EventField } from '../../names/event-field.tsx';
import { FormPicker, SegmentPicker } from '../../names/pickers.tsx';
import { scalarOf } from '../../rules/value-text.ts';
import { useFieldOptions } from '../fields/contact-field-options.tsx';
import { PairsField } from '../fields/pairs-field.tsx';
import { fieldText, fieldValueOf } from '../fields/set-fields.ts';
import { stepName } from '../step-labels.ts';
import type { SimulationEvent, WorkflowStep } from '../workflows.ts';
import { draftErrors, draftOf, type EventDraft, eventOf, eventTypes, newDraft, possibleTypes } from './events.ts';

type Props = {
  /** The event to edit; undefined for a new one. */
  event: SimulationEvent | undefined;
  steps: readonly WorkflowStep[];
  onSave: (event: SimulationEvent) => void;
  onCancel: () => void;
};

/** Nothing is saved: the timeline is part of the page. */
const saving = { isPending: false, error: null };

export function EventForm({ event, steps, onSave, onCancel }: Props) {
  const form = useForm<EventDraft>({ initialValues: event ? draftOf(event) : newDraft, validate: draftErrors });
  const { type } = form.values;
  const emails = steps.filter((step) => step.type === 'send').map((step) => ({ value: step.id, label: stepName(step) }));
  const fields = useFieldOptions();
  return (
    <Form form={form} saving={saving} onSubmit={(draft) => onSave(eventOf(draft))}>
      <Stack gap="md">
        <NativeSelect
          label="What happens"
          data-autofocus
          data={possibleTypes(steps)}
          value={type}
          onChange={({ currentTarget: { value } }) => form.setFieldValue('type', optionIn(eventTypes, value) ?? type)}
        />
        {type === 'event' && (
          <>
            <EventField label="Event" {...form.getInputProps('name')} value={form.values.name} />
            <PairsField<EventDraft['properties'][string]>
              label="Properties"
              nameLabel="Name"
              valueLabel="Value"
              add="Add property"
              read={String}
              write={scalarOf}
              {...form.getInputProps('properties')}
              value={form.values.properties}
            />
          </>
        )}
        {(type === 'message_opened' || type === 'message_clicked') && (
          <NativeSelect
            label="Email"
            description="Ignored if the email has not been sent by then."
            data={[{ value: '', label: 'Choose…' }, ...emails]}
            {...form.getInputProps('step_id')}
          />
        )}
        {(type === 'segment_entered' || type === 'segment_left') && (
          <SegmentPicker label="Segment" {...form.getInputProps('segment_id')} value={form.values.segment_id} />
        )}
        {(type === 'form_submitted' || type === 'form_confirmed') && (
          <FormPicker label="Form" {...form.getInputProps('form_id')} value={form.values.form_id} />
        )}
        {type === 'contact_updated' && (
          <PairsField<unknown>
            label="Set"
            nameLabel="Field"
            valueLabel="Value"
            add="Add field"
            read={fieldText}
            write={fieldValueOf}
            suggestions={fields}
            {...form.getInputProps('set')}
            value={form.values.set}
          />
        )}
        <DurationField label="Time after the start" {...form.getInputProps('after')} value={form.values.after} />
        <FormActions submit={event ? 'Save' : 'Add'} failed="Couldn't add the event" cancel={onCancel} />
      </Stack>
    </Form>
  );
}
