import { NativeSelect, NumberInput, Switch, TextInput } from '@mantine/core';
import { optionIn, optionsOf } from '../../form/options.ts';
import { ZonePicker } from '../../form/zone-picker.tsx';
import { accountZone } from '../../time/zone.ts';
import type { Definition } from '../definition.ts';
import { entryLabels } from '../step-labels.ts';
import type { Fault } from './fault.ts';
import { OccurrencesField } from './occurrences-field.tsx';

type Props = { definition: Definition; onChange: (definition: Definition, tag: string | null) => void; fault: Fault };

const priorities = { normal: 'Normal', high: 'High: its runs go first' } as const;
const onErrors = { continue: 'Continue with the next step', exit: 'End the run as failed' } as const;

/** What starts these brings data in which the runs of a contact can differ. */
const hasOwnData: ReadonlySet<Definition['trigger']['type']> = new Set([
  'event',
  'webhook_received',
  'form_submitted',
  'form_confirmed',
  'message_opened',
  'message_clicked',
  'message_bounced',
  'message_refused',
  'manual',
]);

/** The rules for every run: re-entry, errors, exit conditions, quiet hours, concurrency and priority. */
export function RunSettingsFields({ definition, onChange, fault }: Props) {
  const { trigger, entry, on_error, exit_when, quiet_hours, max_concurrent, priority, steps } = definition;
  return (
    <>
      <NativeSelect
        label="Entry"
        data={optionsOf(entryLabels)}
        value={entry?.policy ?? 'after_exit'}
        onChange={(event) =>
          onChange({ ...definition, entry: { ...entry, policy: optionIn(entryLabels, event.currentTarget.value) ?? 'after_exit' } }, null)
        }
      />
      {entry?.policy !== 'every_time' && (entry?.key !== undefined || hasOwnData.has(trigger.type)) && (
        <TextInput
          label="Once for each"
          description="The data that distinguishes a contact's runs, such as data.properties.order_id. Leave empty to run once for each contact."
          autoComplete="off"
          value={entry?.key ?? ''}
          onChange={({ currentTarget: { value } }) => {
            const { key: _, ...rest } = entry ?? { policy: 'after_exit' as const };
            onChange({ ...definition, entry: value === '' ? rest : { ...rest, key: value } }, 'entry/key');
          }}
          error={fault('/entry/key')}
        />
      )}
      <NativeSelect
        label="When a step fails"
        data={optionsOf(onErrors)}
        value={on_error ?? 'continue'}
        onChange={(event) => onChange({ ...definition, on_error: optionIn(onErrors, event.currentTarget.value) ?? 'continue' }, null)}
      />
      <OccurrencesField
        label="Contacts leave when"
        steps={steps}
        value={exit_when ?? []}
        onChange={(changed) => onChange({ ...definition, exit_when: changed }, 'exit_when')}
        path="/exit_when"
        fault={fault}
      />
      <Switch
        label="Quiet hours"
        description="Emails wait until they end."
        checked={Boolean(quiet_hours)}
        onChange={(event) =>
          onChange(
            { ...definition, quiet_hours: event.currentTarget.checked ? { from: '21:00', to: '08:00', timezone: accountZone() } : null },
            null,
          )
        }
      />
      {quiet_hours && (
        <>
          {(['from', 'to'] as const).map((name) => (
            <TextInput
              key={name}
              type="time"
              label={name === 'from' ? 'From' : 'To'}
              value={quiet_hours[name]}
              onChange={({ currentTarget: { value } }) =>
                onChange({ ...definition, quiet_hours: { ...quiet_hours, [name]: value || '00:00' } }, `quiet_hours/${name}`)
              }
              error={fault(`/quiet_hours/${name}`)}
            />
          ))}
          <ZonePicker
            label="Time zone of contacts without one"
            value={quiet_hours.timezone ?? 'UTC'}
            onChange={(timezone) => onChange({ ...definition, quiet_hours: { ...quiet_hours, timezone: timezone || 'UTC' } }, null)}
          />
        </>
      )}
      <NumberInput
        label="Maximum open runs"
        description="Further contacts wait before the first step. Leave empty for no limit."
        min={1}
        max={10_000}
        allowDecimal={false}
        value={max_concurrent ?? ''}
        onChange={(limit) => onChange({ ...definition, max_concurrent: limit === '' ? null : Number(limit) }, 'max_concurrent')}
        error={fault('/max_concurrent')}
      />
      <NativeSelect
        label="Priority"
        data={optionsOf(priorities)}
        value={priority ?? 'normal'}
        onChange={(event) => onChange({ ...definition, priority: optionIn(priorities, event.currentTarget.value) ?? 'normal' }, null)}
      />
    </>
  );
}
