import { MultiSelect, NativeSelect, TextInput } from '@mantine/core';
import { DurationField } from '../../../form/duration-field.tsx';
import { optionIn, optionsOf } from '../../../form/options.ts';
import { ZonePicker } from '../../../form/zone-picker.tsx';
import { accountZone, clockTime, timeAt } from '../../../time/zone.ts';
import { dayNames } from '../../day-names.ts';
import { DateFieldPicker } from '../contact-field-options.tsx';
import { DateOffsetField } from '../date-offset-field.tsx';
import { type StepOf, type StepProps, useSet } from './step-props.ts';

const waits = {
  for: 'For some time',
  until: 'Until a date and time',
  until_local: 'Until a time of day',
  until_date: 'Until a date of the contact',
} as const;

/** A delay: for some time, or until a time or date. */
export function DelayFields({ fault, ...props }: StepProps<'delay'>) {
  const { step } = props;
  const set = useSet({ ...props, fault });
  const { for: length, until, until_local: local, until_date: date, ...rest } = step;
  const kind = length !== undefined ? 'for' : until !== undefined ? 'until' : local ? 'until_local' : 'until_date';
  const choose = (chosen: keyof typeof waits): StepOf<'delay'> => {
    if (chosen === 'for') return { ...rest, for: 'P1D' };
    if (chosen === 'until') return { ...rest, until: '' };
    if (chosen === 'until_local') return { ...rest, until_local: { time: '09:00', timezone: accountZone() } };
    return { ...rest, until_date: { field: '', timezone: accountZone() } };
  };
  return (
    <>
      <NativeSelect
        label="Wait"
        data={optionsOf(waits)}
        value={kind}
        onChange={(event) => set(choose(optionIn(waits, event.currentTarget.value) ?? 'for'), null)}
      />
      {length !== undefined && (
        <DurationField label="Length" value={length} onChange={(to) => set({ ...step, for: to }, 'for')} error={fault('/for')} />
      )}
      {until !== undefined && (
        <TextInput
          type="datetime-local"
          label="Date and time"
          description={`Time zone: ${accountZone()}`}
          value={clockTime(until)}
          onChange={(event) => set({ ...step, until: timeAt(event.currentTarget.value) }, 'until')}
          error={fault('/until')}
        />
      )}
      {local && (
        <>
          <TextInput
            type="time"
            label="Time"
            description="In the contact's time zone"
            value={local.time}
            onChange={(event) => set({ ...step, until_local: { ...local, time: event.currentTarget.value } }, 'time')}
            error={fault('/until_local/time')}
          />
          <MultiSelect
            label="Days"
            placeholder={local.weekdays?.length ? '' : 'Every day'}
            data={optionsOf(dayNames)}
            value={local.weekdays ?? []}
            onChange={(chosen) => {
              const { weekdays: _, ...other } = local;
              const weekdays = chosen.flatMap((day) => optionIn(dayNames, day) ?? []);
              set({ ...step, until_local: weekdays.length > 0 ? { ...other, weekdays } : other }, null);
            }}
          />
          <ZonePicker
            label="Time zone of contacts without one"
            value={local.timezone ?? 'UTC'}
            onChange={(timezone) => set({ ...step, until_local: { ...local, timezone: timezone || 'UTC' } }, null)}
          />
        </>
      )}
      {date && (
        <>
          <DateFieldPicker
            label="Date"
            value={date.field}
            onChange={(field) => set({ ...step, until_date: { ...date, field } }, null)}
            error={fault('/until_date/field')}
          />
          <DateOffsetField
            value={date.offset}
            onChange={(offset) => {
              const { offset: _, ...other } = date;
              set({ ...step, until_date: offset === undefined ? other : { ...other, offset } }, 'offset');
            }}
          />
          <TextInput
            type="time"
            label="Time"
            description="In the contact's time zone. Leave empty to use the time of the date itself."
            value={date.time ?? ''}
            onChange={({ currentTarget: { value } }) => {
              const { time: _, ...other } = date;
              set({ ...step, until_date: value === '' ? other : { ...other, time: value } }, 'time');
            }}
          />
          <ZonePicker
            label="Time zone of contacts without one"
            value={date.timezone ?? 'UTC'}
            onChange={(timezone) => set({ ...step, until_date: { ...date, timezone: timezone || 'UTC' } }, null)}
          />
        </>
      )}
    </>
  );
}
