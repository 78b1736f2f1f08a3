import { NativeSelect } from '@mantine/core';
import type { Editor } from '@tiptap/core';
import { useDeclaredTypes } from '../contact-fields/attributes.ts';
import { type Condition, conditionOf, isOperator, operators } from '../email-design/condition.ts';
import { SeenValueField } from '../rules/seen-value-field.tsx';
import { blockOf } from './blocks.ts';
import { attributeField, useMergeFields } from './fields.ts';

/** Which contacts see the block of the cursor. */
export function ConditionFields({ editor }: { editor: Editor }) {
  const fields = useMergeFields().filter(({ field }) => field.startsWith('contact.'));
  const types = useDeclaredTypes();
  const block = blockOf(editor);
  if (!block) return null;
  const condition = conditionOf(block.node);
  const set = (change: Condition | null) =>
    editor.commands.command(({ tr }) => {
      tr.setNodeAttribute(block.start, 'condition', change);
      return true;
    });
  /** A number or a boolean if the attribute has that type. */
  const typed = (field: string, value: string): Condition['value'] => {
    const type = [...types].find(([key]) => attributeField(key).field === field)?.[1];
    if (type === 'number' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value);
    return type === 'boolean' && (value === 'true' || value === 'false') ? value === 'true' : value;
  };
  const seenField = (field: string) => {
    const attribute = [...types.keys()].find((key) => attributeField(key).field === field);
    return attribute === undefined ? field.replace(/^contact\./, '') : `attributes.${attribute}`;
  };
  return (
    <>
      <NativeSelect
        label="Show this block"
        data={[
          { value: '', label: 'To everyone' },
          { group: 'Only if a field matches', items: fields.map(({ field, label }) => ({ value: field, label })) },
        ]}
        value={condition?.field ?? ''}
        onChange={({ currentTarget: { value: field } }) => set(field === '' ? null : { field, op: condition?.op ?? 'is', value: '' })}
      />
      {condition && (
        <NativeSelect
          aria-label="Condition"
          data={Object.entries(operators).map(([value, label]) => ({ value, label }))}
          value={condition.op}
          onChange={({ currentTarget: { value: op } }) => isOperator(op) && set({ ...condition, op })}
        />
      )}
      {condition && (condition.op === 'is' || condition.op === 'is_not') && (
        <SeenValueField
          of={seenField(condition.field)}
          aria-label="Value"
          placeholder="Value"
          value={String(condition.value)}
          onChange={(value) => set({ ...condition, value: typed(condition.field, value) })}
        />
      )}
    </>
  );
}
