import { NativeSelect, TextInput } from '@mantine/core';
import { askableFields, type FieldDraft, isPresence, opsOf } from './rule-draft.ts';
import { fieldWord, opWords } from './rule-words.ts';

type Props = { condition: FieldDraft; onChange: (condition: FieldDraft) => void };

const attribute = 'attributes.';

/** A condition on a field, tag or attribute of the contact. */
export function FieldEditor({ condition, onChange }: Props) {
  const { field, op, value } = condition;
  const isAttribute = field.startsWith(attribute);
  const choose = (chosen: string) =>
    onChange({ ...condition, field: chosen, op: opsOf(chosen).includes(op) ? op : (opsOf(chosen)[0] ?? op) });

  return (
    <>
      <NativeSelect
        aria-label="Field"
        data={[...askableFields.map((name) => ({ value: name, label: fieldWord(name) })), { value: attribute, label: 'Attribute…' }]}
        value={isAttribute ? attribute : field}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {isAttribute && (
        <TextInput
          aria-label="Attribute name"
          placeholder="plan"
          value={field.slice(attribute.length)}
          onChange={(event) => onChange({ ...condition, field: attribute + event.currentTarget.value })}
        />
      )}
      <NativeSelect
        aria-label="Operator"
        data={opsOf(field).map((name) => ({
          value: name,
          label: field === 'tags' && name === 'contains' ? 'have' : (opWords[name] ?? name),
        }))}
        value={op}
        onChange={(event) => onChange({ ...condition, op: event.currentTarget.value })}
      />
      {!isPresence(op) && (
        <TextInput
          aria-label="Value"
          placeholder={op === 'in' || op === 'not_in' ? 'Berlin, Vienna' : op === 'between' ? '1, 5' : 'Value'}
          value={value}
          onChange={(event) => onChange({ ...condition, value: event.currentTarget.value })}
        />
      )}
    </>
  );
}
