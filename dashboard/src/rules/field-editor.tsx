import { NativeSelect, NumberInput, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { AttributeName } from '../contact-fields/attribute-name.tsx';
import { type DeclaredType, useDeclaredTypes } from '../contact-fields/attributes.ts';
import { fieldLabel } from '../contact-fields/field-labels.ts';
import { DateField } from '../form/date-field.tsx';
import { Suggest, SuggestList } from '../form/suggest.tsx';
import { askableFields, isPresence, opsOf } from './operators.ts';
import type { FieldDraft } from './rule-draft.ts';
import { errorAt, type RuleErrors } from './rule-errors.ts';
import { opLabels } from './rule-labels.ts';
import { useSeenValues } from './seen-values.ts';
import { boundsOf, boundsText } from './value-text.ts';

type Props = { condition: FieldDraft; errors: RuleErrors; onChange: (condition: FieldDraft) => void };

const attribute = 'attributes.';

/** A condition on a field, tag or attribute of the contact. The type of an attribute decides its operators and values. */
export function FieldEditor({ condition, errors, onChange }: Props) {
  const { field, op } = condition;
  const isAttribute = field.startsWith(attribute);
  const type = useDeclaredTypes().get(isAttribute ? field.slice(attribute.length).trim() : '');
  const ops = opsOf(field, type);
  /** Of two bounds, another operator keeps the lower one. */
  const valueFor = (chosenOp: string) => (chosenOp === op ? condition.value : boundsOf(condition.value)[0]);
  const choose = (chosen: string, chosenType?: DeclaredType) => {
    const fitting = opsOf(chosen, chosenType);
    const chosenOp = fitting.includes(op) ? op : (fitting[0] ?? op);
    const value = chosenType === 'boolean' && condition.value !== 'false' ? 'true' : valueFor(chosenOp);
    onChange({ ...condition, field: chosen, type: chosenType, op: chosenOp, value });
  };

  return (
    <>
      <NativeSelect
        aria-label="Field"
        data={[...askableFields.map((name) => ({ value: name, label: fieldLabel(name) })), { value: attribute, label: 'Attribute…' }]}
        value={isAttribute ? attribute : field}
        onChange={(event) => choose(event.currentTarget.value)}
        error={!isAttribute && errorAt(errors, '/field')}
      />
      {isAttribute && (
        <AttributeName
          label="Attribute name"
          placeholder="plan"
          value={field.slice(attribute.length)}
          onChange={(name, known) => choose(attribute + name, known)}
          error={errorAt(errors, '/field')}
        />
      )}
      <NativeSelect
        aria-label="Operator"
        data={(ops.includes(op) ? ops : [op, ...ops]).map((name) => ({
          value: name,
          label: field === 'tags' && name === 'contains' ? 'have' : (opLabels[name] ?? name),
        }))}
        value={op}
        onChange={({ currentTarget: { value: chosen } }) => onChange({ ...condition, type, op: chosen, value: valueFor(chosen) })}
        error={errorAt(errors, '/op')}
      />
      {!isPresence(op) && (
        <Operand condition={condition} type={type} errors={errors} onChange={(value) => onChange({ ...condition, type, value })} />
      )}
    </>
  );
}

type OperandProps = {
  condition: FieldDraft;
  type: DeclaredType | undefined;
  errors: RuleErrors;
  onChange: (value: string) => void;
};

/** What the field is compared with: a value, several, or two bounds. */
function Operand({ condition: { field, op, value }, type, errors, onChange }: OperandProps) {
  const values = useSeenValues(field);
  const error = errorAt(errors, '/value');
  if (op === 'in' || op === 'not_in')
    return <SuggestList label="Value" placeholder="Several values" values={values} value={value} onChange={onChange} error={error} />;
  if (op !== 'between') return <Value label="Value" type={type} values={values} value={value} onChange={onChange} error={error} />;
  const [low, high] = boundsOf(value);
  return (
    <>
      <Value
        label="Lower bound"
        type={type}
        values={values}
        value={low}
        onChange={(bound) => onChange(boundsText(bound, high))}
        error={errors.get('/value') ?? errorAt(errors, '/value/0')}
      />
      <Text span size="sm" lh="2.25rem">
        and
      </Text>
      <Value
        label="Upper bound"
        type={type}
        values={values}
        value={high}
        onChange={(bound) => onChange(boundsText(low, bound))}
        error={errorAt(errors, '/value/1')}
      />
    </>
  );
}

type ValueProps = {
  label: string;
  type: DeclaredType | undefined;
  values: readonly string[];
  value: string;
  onChange: (value: string) => void;
  error: ReactNode;
};

function Value({ type, values, ...field }: ValueProps) {
  const { label, value, onChange, error } = field;
  if (type === 'boolean') {
    const data = [
      { value: 'true', label: 'Yes' },
      { value: 'false', label: 'No' },
    ];
    return (
      <NativeSelect aria-label={label} data={data} value={value} onChange={(event) => onChange(event.currentTarget.value)} error={error} />
    );
  }
  if (type === 'date') return <DateField {...field} />;
  if (type === 'number')
    return <NumberInput aria-label={label} value={value} onChange={(number) => onChange(String(number))} error={error} />;
  return <Suggest {...field} values={values} placeholder={label} />;
}
