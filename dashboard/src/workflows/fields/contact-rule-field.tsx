import { Checkbox } from '@mantine/core';
import type { RuleErrors } from '../../rules/rule-errors.ts';
import type { Rule } from '../../segments/segments.ts';
import { RuleField } from './rule-field.tsx';

type Props = { value: Rule | undefined; onChange: (value: Rule | undefined) => void; errors: RuleErrors };

const firstRule: Rule = { all: [{ field: 'tags', op: 'contains', value: '' }] };

/** The conditions that contacts must match to start a run, if there are any. */
export function ContactRuleField({ value, onChange, errors }: Props) {
  return (
    <>
      <Checkbox
        label="Only contacts that match conditions"
        checked={value !== undefined}
        onChange={(event) => onChange(event.currentTarget.checked ? firstRule : undefined)}
      />
      {value && <RuleField label="Conditions" value={value} onChange={onChange} errors={errors} />}
    </>
  );
}
