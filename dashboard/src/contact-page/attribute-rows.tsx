import { ActionIcon, Button, Group, Input, NativeSelect, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { AttributeName } from '../contact-fields/attribute-name.tsx';
import { useDeclaredTypes } from '../contact-fields/attributes.ts';
import { SeenValueField } from '../rules/seen-value-field.tsx';
import classes from './attribute-rows.module.css';
import { type AttributeDraft, type AttributeType, attributeTypes, formTypeOf, isWrong } from './contact-draft.ts';

const examples: Partial<Record<AttributeType, string>> = { list: 'tea, chess', date: '2026-05-01' };

type Props = { value?: AttributeDraft[]; onChange: (attributes: AttributeDraft[]) => void; error?: ReactNode };

/** Editor for a contact's attributes. An attribute of the account has a type already, so only that of a new one can be chosen. */
export function AttributeRows({ value: attributes = [], onChange, error }: Props) {
  const declared = useDeclaredTypes();
  const set = (id: number, change: Partial<AttributeDraft>) =>
    onChange(attributes.map((one) => (one.id === id ? { ...one, ...change } : one)));
  const setType = ({ id, text }: AttributeDraft, type: AttributeType, more: Partial<AttributeDraft> = {}) =>
    set(id, { ...more, type, text: type === 'boolean' && text !== 'no' ? 'yes' : text });
  const add = () => onChange([...attributes, { id: Math.max(-1, ...attributes.map(({ id }) => id)) + 1, key: '', type: 'text', text: '' }]);

  return (
    <Stack gap="xs">
      {attributes.map((attribute) => {
        const { id, key, text } = attribute;
        const called = key || 'new attribute';
        const declaredType = formTypeOf(declared.get(key.trim()));
        const type = declaredType ?? attribute.type;
        return (
          <div key={id} className={classes.row}>
            <AttributeName
              label={`Name of ${called}`}
              placeholder="plan"
              value={key}
              onChange={(name, known) => setType(attribute, formTypeOf(known) ?? attribute.type, { key: name })}
            />
            <NativeSelect
              aria-label={`Type of ${called}`}
              data={[...attributeTypes]}
              value={type}
              disabled={declaredType !== undefined}
              onChange={(event) => {
                const chosen = attributeTypes.find(({ value }) => value === event.currentTarget.value)?.value ?? type;
                setType(attribute, chosen);
              }}
            />
            {type === 'boolean' ? (
              <NativeSelect
                aria-label={`Value of ${called}`}
                data={['yes', 'no']}
                value={text}
                onChange={(event) => set(id, { text: event.currentTarget.value })}
              />
            ) : type === 'text' ? (
              <SeenValueField
                of={`attributes.${key.trim()}`}
                aria-label={`Value of ${called}`}
                placeholder="Value"
                value={text}
                onChange={(value) => set(id, { type, text: value })}
              />
            ) : (
              <TextInput
                aria-label={`Value of ${called}`}
                {...(type === 'number' && { inputMode: 'decimal' as const })}
                placeholder={examples[type] ?? 'Value'}
                value={text}
                onChange={(event) => set(id, { type, text: event.currentTarget.value })}
                error={Boolean(error) && isWrong(attribute)}
              />
            )}
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={`Remove ${called}`}
              onClick={() => onChange(attributes.filter((one) => one.id !== id))}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </div>
        );
      })}
      {error && <Input.Error role="alert">{error}</Input.Error>}
      <Group>
        <Button size="xs" variant="default" leftSection={<IconPlus size={14} aria-hidden />} onClick={add}>
          Add attribute
        </Button>
      </Group>
    </Stack>
  );
}
