import { NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { AttributeName } from '../contacts/attribute-name.tsx';
import { type DeclaredType, useDeclaredTypes } from '../contacts/attributes.ts';
import { useSeenValues } from '../contacts/seen-values.ts';
import { DateField } from '../form/date-field.tsx';
import { Suggest, SuggestList } from '../form/suggest.tsx';
import { askableFields, type FieldDraft, isPresence, opsOf } from './rule-draft.ts';
import { fieldWord, opWords } from './rule-words.ts';

type Props = { condition: FieldDraft; onChange: (condition: FieldDraft) => void };

const attribute = 'attributes.';

/** A condition on a field, tag or attribute of the contact. The type of an attribute decides its operators and values. */
export function FieldEditor({ condition, onChange }: Props) {
  const { field, op } = condition;
  const isAttribute = field.startsWith(attribute);
  const type = useDeclaredTypes().get(isAttribute ? field.slice(attribute.length).trim() : '');
  const ops = opsOf(field, type);
  const choose = (chosen: string, chosenType?: DeclaredType) => {
    const fitting = opsOf(chosen, chosenType);
    const value = chosenType === 'boolean' && condition.value !== 'false' ? 'true' : condition.value;
    onChange({ ...condition, field: chosen, type: chosenType, op: fitting.includes(op) ? op : (fitting[0] ?? op), value });
  };

  return (
    <>
      <NativeSelect
        aria-label="Field"
        data={[...askableFields.map((name) => ({ value: name, label: fieldWord(name) })), { value: attribute, label: 'Attribute…' }]}
        value={isAttribute ? attribute : field}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {isAttribute && (
        <AttributeName
          label="Attribute name"
          placeholder="plan"
          value={field.slice(attribute.length)}
          onChange={(name, known) => choose(attribute + name, known)}
        />
      )}
      <NativeSelect
        aria-label="Operator"
        data={(ops.includes(op) ? ops : [op, ...ops]).map((name) => ({
          value: name,
          label: field === 'tags' && name === 'contains' ? 'have' : (opWords[name] ?? name),
        }))}
        value={op}
        onChange={(event) => onChange({ ...condition, type, op: event.currentTarget.value })}
      />
      {!isPresence(op) && <Value condition={condition} type={type} onChange={(value) => onChange({ ...condition, type, value })} />}
    </>
  );
}

function Value({
  condition,
  type,
  onChange,
}: {
  condition: FieldDraft;
  type: DeclaredType | undefined;
  onChange: (value: string) => void;
}) {
  const { field, op, value } = condition;
  const values = useSeenValues(field);
  if (type === 'boolean') {
    const data = [
      { value: 'true', label: 'Yes' },
      { value: 'false', label: 'No' },
    ];
    return <NativeSelect aria-label="Value" data={data} value={value} onChange={(event) => onChange(event.currentTarget.value)} />;
  }
  const common = { label: 'Value', value, onChange };
  if (op === 'between')
    return <TextInput aria-label="Value" placeholder="1, 5" value={value} onChange={(event) => onChange(event.currentTarget.value)} />;
  if (op === 'in' || op === 'not_in') return <SuggestList {...common} values={values} placeholder="Several values" />;
  if (type === 'date') return <DateField {...common} />;
  if (type === 'number') return <NumberInput aria-label="Value" value={value} onChange={(number) => onChange(String(number))} />;
  return <Suggest {...common} values={values} placeholder="Value" />;
}
