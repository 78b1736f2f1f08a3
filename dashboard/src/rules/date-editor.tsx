import { NativeSelect } from '@mantine/core';
import { AttributeName } from '../contact-fields/attribute-name.tsx';
import { fieldLabel } from '../contact-fields/field-labels.ts';
import { DateField } from '../form/date-field.tsx';
import { ZonePicker } from '../form/zone-picker.tsx';
import { dateOps, isWindow, momentFields } from './operators.ts';
import type { DateDraft } from './rule-draft.ts';
import { errorAt, type RuleErrors } from './rule-errors.ts';
import { opLabels } from './rule-labels.ts';
import { WindowField } from './window-field.tsx';

type Props = { condition: DateDraft; errors: RuleErrors; onChange: (condition: DateDraft) => void };

const attribute = 'attributes.';

/** A condition on a date of the contact. */
export function DateEditor({ condition, errors, onChange }: Props) {
  const { date, op, value, timezone } = condition;
  const isAttribute = date.startsWith(attribute);
  const compare = (chosen: string) => onChange({ ...condition, op: chosen, value: isWindow(chosen) ? 'P30D' : '' });

  return (
    <>
      <NativeSelect
        aria-label="Date"
        data={[...momentFields.map((name) => ({ value: name, label: fieldLabel(name) })), { value: attribute, label: 'Attribute…' }]}
        value={isAttribute ? attribute : date}
        onChange={(event) => onChange({ ...condition, date: event.currentTarget.value })}
        error={!isAttribute && errorAt(errors, '/date')}
      />
      {isAttribute && (
        <AttributeName
          label="Attribute name"
          placeholder="renewal"
          only={['date']}
          value={date.slice(attribute.length)}
          onChange={(name) => onChange({ ...condition, date: attribute + name })}
          error={errorAt(errors, '/date')}
        />
      )}
      <NativeSelect
        aria-label="Operator"
        data={dateOps.map((name) => ({ value: name, label: opLabels[name] ?? name }))}
        value={op}
        onChange={(event) => compare(event.currentTarget.value)}
        error={errorAt(errors, '/op')}
      />
      {isWindow(op) ? (
        <WindowField
          label={op === 'anniversary' ? 'Days before' : 'Window'}
          isOptional={op === 'anniversary'}
          value={value}
          onChange={(window) => onChange({ ...condition, value: window })}
          error={errorAt(errors, op === 'anniversary' ? '/within' : '/value')}
        />
      ) : (
        <DateField label="Day" value={value} onChange={(day) => onChange({ ...condition, value: day })} error={errorAt(errors, '/value')} />
      )}
      <ZonePicker
        label="Time zone"
        isLabelVisible={false}
        placeholder="UTC"
        value={timezone}
        onChange={(zone) => onChange({ ...condition, timezone: zone })}
        error={errorAt(errors, '/timezone')}
      />
    </>
  );
}
