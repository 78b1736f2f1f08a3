import { Button, Checkbox, Group, MultiSelect, NativeSelect, TextInput } from '@mantine/core';
import { DurationField } from '../../form/duration-field.tsx';
import { optionIn, optionsOf } from '../../form/options.ts';
import { ZonePicker } from '../../form/zone-picker.tsx';
import { EventField } from '../../names/event-field.tsx';
import { SegmentPicker } from '../../names/pickers.tsx';
import { usePermission } from '../../session/permission.ts';
import { accountZone } from '../../time/zone.ts';
import { dayNames } from '../day-names.ts';
import type { Definition } from '../definition.ts';
import { useSegmentDialog } from '../segment-dialog-context.ts';
import { DateFieldPicker, useFieldOptions } from './contact-field-options.tsx';
import { ContactRuleField } from './contact-rule-field.tsx';
import { cronOf, cronParts } from './cron.ts';
import { DateOffsetField } from './date-offset-field.tsx';
import type { Fault } from './fault.ts';
import { FormIdField } from './form-id-field.tsx';
import { HookFields } from './hook-fields.tsx';
import { MessageTriggerFields } from './message-trigger-fields.tsx';
import { WhereField } from './where-field.tsx';

type Trigger = Definition['trigger'];
type Props = { trigger: Trigger; onChange: (trigger: Trigger, tag: string | null) => void; fault: Fault };

const types: Record<Trigger['type'], string> = {
  contact_created: 'A contact is created',
  contact_updated: 'A contact changes',
  segment_entered: 'A contact enters a segment',
  segment_left: 'A contact leaves a segment',
  event: 'An event happens',
  message_opened: 'An email is opened',
  message_clicked: 'A link in an email is clicked',
  message_bounced: 'An email bounces',
  message_refused: 'An email is refused, such as by a full mailbox',
  form_submitted: 'A form is submitted',
  form_confirmed: 'A form is confirmed by email',
  webhook_received: 'Another system calls a URL',
  date: 'A date of the contact, such as a birthday',
  schedule: 'A schedule',
  manual: 'Only through the API, or manually',
};

function newTrigger(type: Trigger['type']): Trigger {
  switch (type) {
    case 'segment_entered':
    case 'segment_left':
      return { type, segment_id: '' };
    case 'event':
      return { type, name: '' };
    case 'schedule':
      return {
        type,
        cron: cronOf({ time: '09:00', days: ['mon'] }),
        timezone: accountZone(),
        segment_id: '',
      };
    case 'webhook_received':
      return { type, contact: { email: '/email' }, generation: 1 };
    case 'date':
      return { type, field: '', time: '09:00', timezone: accountZone(), yearly: false };
    default:
      return { type };
  }
}

type Conditional = Extract<Trigger, { when?: unknown }>;

function withRule<Changed extends Conditional>({ when: _, ...rest }: Changed, when: Conditional['when']) {
  return { ...rest, ...(when && { when }) };
}

/** What starts a run. */
export function TriggerFields({ trigger, onChange, fault }: Props) {
  return (
    <>
      <NativeSelect
        label="Starts when"
        data={optionsOf(types)}
        value={trigger.type}
        onChange={(event) => onChange(newTrigger(optionIn(types, event.currentTarget.value) ?? 'manual'), null)}
      />
      <Fields trigger={trigger} onChange={onChange} fault={fault} />
    </>
  );
}

function Fields({ trigger, onChange, fault }: Props) {
  const fields = useFieldOptions();
  switch (trigger.type) {
    case 'segment_entered':
    case 'segment_left':
      return (
        <>
          <SegmentPicker
            label="Segment"
            value={trigger.segment_id}
            onChange={(segment_id) => onChange({ ...trigger, segment_id }, null)}
            error={fault('/segment_id')}
          />
          <NewSegmentButton onCreated={(segment_id) => onChange({ ...trigger, segment_id }, null)} />
          <ContactRuleField
            value={trigger.when}
            onChange={(when) => onChange(withRule(trigger, when), 'trigger/when')}
            errors={fault.below('/when')}
          />
        </>
      );
    case 'contact_updated':
      return (
        <MultiSelect
          label="Fields"
          searchable
          limit={100}
          placeholder={trigger.fields?.length ? '' : 'Any field'}
          data={[
            ...new Map(
              [...fields, ...(trigger.fields ?? []).map((value) => ({ value, label: value }))].map((one) => [one.value, one]),
            ).values(),
          ]}
          value={trigger.fields ?? []}
          onChange={(chosen) => onChange(chosen.length > 0 ? { ...trigger, fields: chosen } : { type: trigger.type }, null)}
          error={fault('/fields')}
        />
      );
    case 'event':
      return (
        <>
          <EventField
            label="Event"
            value={trigger.name}
            onChange={(name) => onChange({ ...trigger, name }, 'trigger/name')}
            error={fault('/name')}
          />
          <WhereField
            label="Only if"
            prefix="properties."
            placeholder="total"
            value={trigger.where ?? {}}
            onChange={(where) => onChange({ ...trigger, where }, 'trigger/where')}
            error={fault('/where')}
          />
        </>
      );
    case 'message_opened':
    case 'message_clicked':
    case 'message_bounced':
    case 'message_refused':
      return (
        <>
          <MessageTriggerFields trigger={trigger} onChange={onChange} fault={fault} />
          <ContactRuleField
            value={trigger.when}
            onChange={(when) => onChange(withRule(trigger, when), 'trigger/when')}
            errors={fault.below('/when')}
          />
        </>
      );
    case 'form_submitted':
    case 'form_confirmed':
      return (
        <>
          <FormIdField
            value={trigger.form_id}
            onChange={(form_id) => {
              const { form_id: _, ...rest } = trigger;
              onChange({ ...rest, ...(form_id !== undefined && { form_id }) }, 'trigger/form_id');
            }}
            error={fault('/form_id')}
          />
          <ContactRuleField
            value={trigger.when}
            onChange={(when) => onChange(withRule(trigger, when), 'trigger/when')}
            errors={fault.below('/when')}
          />
        </>
      );
    case 'schedule':
      return <ScheduleFields trigger={trigger} onChange={onChange} fault={fault} />;
    case 'webhook_received':
      return <HookFields trigger={trigger} onChange={onChange} fault={fault} />;
    case 'date':
      return (
        <>
          <DateFieldPicker
            label="Date"
            value={trigger.field}
            onChange={(field) => onChange({ ...trigger, field }, null)}
            error={fault('/field')}
          />
          <DateOffsetField
            value={trigger.offset}
            onChange={(offset) => {
              const { offset: _, ...rest } = trigger;
              onChange(offset === undefined ? rest : { ...rest, offset }, 'trigger/offset');
            }}
          />
          <TextInput
            type="time"
            label="Time"
            description="In the contact's time zone"
            value={trigger.time ?? '09:00'}
            onChange={(event) => onChange({ ...trigger, time: event.currentTarget.value }, 'trigger/time')}
            error={fault('/time')}
          />
          <ZonePicker
            label="Time zone of contacts without one"
            value={trigger.timezone ?? 'UTC'}
            onChange={(timezone) => onChange({ ...trigger, timezone: timezone || 'UTC' }, null)}
          />
          <Checkbox
            label="Every year, as for a birthday"
            checked={trigger.yearly ?? false}
            onChange={(event) => onChange({ ...trigger, yearly: event.currentTarget.checked }, null)}
          />
        </>
      );
    default:
      return null;
  }
}

function NewSegmentButton({ onCreated }: { onCreated: (segmentId: string) => void }) {
  const { open } = useSegmentDialog();
  const { mayWrite } = usePermission('segments');
  if (!mayWrite) return null;
  return (
    <Group>
      <Button size="xs" variant="default" onClick={() => open(onCreated)}>
        New segment
      </Button>
    </Group>
  );
}

type ScheduleProps = Omit<Props, 'trigger'> & { trigger: Extract<Trigger, { type: 'schedule' }> };

function ScheduleFields({ trigger, onChange, fault }: ScheduleProps) {
  const parts = cronParts(trigger.cron);
  return (
    <>
      {parts ? (
        <>
          <TextInput
            type="time"
            label="Time"
            value={parts.time}
            onChange={(event) =>
              onChange({ ...trigger, cron: cronOf({ ...parts, time: event.currentTarget.value || '09:00' }) }, 'trigger/cron')
            }
          />
          <MultiSelect
            label="Days"
            placeholder={parts.days.length > 0 ? '' : 'Every day'}
            data={optionsOf(dayNames)}
            value={parts.days}
            onChange={(chosen) =>
              onChange({ ...trigger, cron: cronOf({ ...parts, days: chosen.flatMap((day) => optionIn(dayNames, day) ?? []) }) }, null)
            }
          />
        </>
      ) : (
        <TextInput
          label="Schedule"
          description="A cron pattern: minute, hour, day, month, weekday"
          value={trigger.cron}
          onChange={(event) => onChange({ ...trigger, cron: event.currentTarget.value }, 'trigger/cron')}
          error={fault('/cron')}
        />
      )}
      <ZonePicker
        label="Time zone"
        value={trigger.timezone ?? 'UTC'}
        onChange={(timezone) => onChange({ ...trigger, timezone: timezone || 'UTC' }, null)}
      />
      <SegmentPicker
        label="For each contact in"
        value={trigger.segment_id}
        onChange={(segment_id) => onChange({ ...trigger, segment_id }, null)}
        error={fault('/segment_id')}
      />
      <Checkbox
        label="Spread the starts over some time"
        checked={trigger.spread !== undefined}
        onChange={({ currentTarget: { checked } }) => {
          const { spread: _, ...rest } = trigger;
          onChange(checked ? { ...rest, spread: 'PT2H' } : rest, null);
        }}
      />
      {trigger.spread !== undefined && (
        <DurationField
          label="Over"
          value={trigger.spread}
          onChange={(spread) => onChange({ ...trigger, spread }, 'trigger/spread')}
          error={fault('/spread')}
        />
      )}
    </>
  );
}
