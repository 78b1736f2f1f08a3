import { ActionIcon, Button, Group, Input, NativeSelect, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './attribute-rows.module.css';
import { type AttributeDraft, attributeTypes, isWrongNumber } from './contact-draft.ts';

type Props = { value?: AttributeDraft[]; onChange: (attributes: AttributeDraft[]) => void; error?: ReactNode };

/** Editor for a contact's attributes. An attribute keeps the type of its first value. */
export function AttributeRows({ value: attributes = [], onChange, error }: Props) {
  const set = (id: number, change: Partial<AttributeDraft>) =>
    onChange(attributes.map((one) => (one.id === id ? { ...one, ...change } : one)));
  const add = () => onChange([...attributes, { id: Math.max(-1, ...attributes.map(({ id }) => id)) + 1, key: '', type: 'text', text: '' }]);

  return (
    <Stack gap="xs">
      {attributes.map((attribute) => {
        const { id, key, type, text } = attribute;
        const called = key || 'new attribute';
        return (
          <div key={id} className={classes.row}>
            <TextInput
              aria-label={`Name of ${called}`}
              placeholder="plan"
              value={key}
              onChange={(event) => set(id, { key: event.currentTarget.value })}
            />
            <NativeSelect
              aria-label={`Type of ${called}`}
              data={[...attributeTypes]}
              value={type}
              onChange={(event) => {
                const chosen = attributeTypes.find(({ value }) => value === event.currentTarget.value)?.value ?? type;
                set(id, { type: chosen, text: chosen === 'boolean' ? 'yes' : text });
              }}
            />
            {type === 'boolean' ? (
              <NativeSelect
                aria-label={`Value of ${called}`}
                data={['yes', 'no']}
                value={text}
                onChange={(event) => set(id, { text: event.currentTarget.value })}
              />
            ) : (
              <TextInput
                aria-label={`Value of ${called}`}
                {...(type === 'number' && { inputMode: 'decimal' as const })}
                placeholder={type === 'list' ? 'tea, chess' : 'Value'}
                value={text}
                onChange={(event) => set(id, { text: event.currentTarget.value })}
                error={Boolean(error) && isWrongNumber(attribute)}
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
