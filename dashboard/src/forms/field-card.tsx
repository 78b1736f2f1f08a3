import { ActionIcon, Checkbox, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconGripVertical, IconTrash } from '@tabler/icons-react';
import { type DragEvent, useState } from 'react';
import { AttributeName } from '../contact-fields/attribute-name.tsx';
import { fieldLabel } from '../contact-fields/field-labels.ts';
import formClasses from '../form/editor.module.css';
import type { BuilderProps } from './builder.ts';
import { attributePrefix, isAttribute, typeLabels, typesOf } from './field-types.ts';
import type { FieldDraft } from './form-draft.ts';
import classes from './forms.module.css';
import { OptionList } from './option-list.tsx';
import { textIn } from './texts.ts';
import { TextsInput } from './texts-input.tsx';

type Props = BuilderProps & {
  field: FieldDraft;
  index: number;
  onMove: (by: 1 | -1) => void;
  /** Another field was dropped here; its key. */
  onDropped: (key: string) => void;
  onRemove: () => void;
};

/** What is dragged: nothing else can be dropped on a field. */
const dragged = 'application/x-form-field';

/** One field of the form, with the buttons that move and remove it. */
export function FieldCard({ form, language, field, index, onMove, onDropped, onRemove }: Props) {
  const [isOver, setOver] = useState(false);
  const { fields, language: fallback } = form.values;
  const at = `fields.${index}`;
  const isEmail = field.field === 'email';
  const name = textIn(field.label, language, fallback) || `field ${index + 1}`;
  const types = typesOf(field.field);
  const set = (change: Partial<FieldDraft>) => form.setFieldValue(`fields.${index}`, { ...field, ...change });
  const error = (of: string) => form.errors[`${at}.${of}`];
  const drag = ({ currentTarget, dataTransfer }: DragEvent) => {
    dataTransfer.setData(dragged, field.key);
    dataTransfer.effectAllowed = 'move';
    const card = currentTarget.closest('li');
    if (card) dataTransfer.setDragImage(card, 16, 16);
  };
  const dropZone = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes(dragged)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      if (!event.dataTransfer.types.includes(dragged)) return;
      event.preventDefault();
      onDropped(event.dataTransfer.getData(dragged));
    },
  };
  return (
    <li className={classes.card} data-field={field.key} {...(isOver && { 'data-over': '' })} {...dropZone}>
      <Group justify="space-between" wrap="nowrap" mb="xs" gap="xs">
        <span className={classes.grip} draggable onDragStart={drag} aria-hidden>
          <IconGripVertical size={16} />
        </span>
        <Text size="sm" fw={500} flex={1} className={classes.clipped ?? ''}>
          {isAttribute(field.field) ? 'Attribute' : fieldLabel(field.field)}
        </Text>
        <Group gap={2} wrap="nowrap">
          <ActionIcon {...action('up', `Move ${name} up`)} disabled={index === 0} onClick={() => onMove(-1)}>
            <IconArrowUp size={16} aria-hidden />
          </ActionIcon>
          <ActionIcon {...action('down', `Move ${name} down`)} disabled={index === fields.length - 1} onClick={() => onMove(1)}>
            <IconArrowDown size={16} aria-hidden />
          </ActionIcon>
          {!isEmail && (
            <ActionIcon {...action('remove', `Remove ${name}`)} onClick={onRemove}>
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          )}
        </Group>
      </Group>
      <Stack gap="sm">
        <div className={formClasses.pair}>
          {isAttribute(field.field) && (
            <AttributeName
              label="Attribute"
              isLabelVisible
              placeholder="plan"
              value={field.field.slice(attributePrefix.length)}
              onChange={(attribute) => set({ field: `${attributePrefix}${attribute}` })}
              error={error('field')}
            />
          )}
          <TextsInput
            label="Label"
            {...{ language, fallback }}
            texts={field.label}
            onChange={(label) => set({ label })}
            error={error('label')}
          />
          {types.length > 1 && (
            <NativeSelect
              label="Type"
              data={types.map((type) => ({ value: type, label: typeLabels[type] }))}
              value={field.type}
              onChange={({ currentTarget: { value } }) => set({ type: types.find((type) => type === value) ?? types[0] })}
            />
          )}
        </div>
        {field.type === 'select' && (
          <OptionList
            {...{ language, fallback, name }}
            options={field.options}
            onChange={(options) => set({ options })}
            error={error('options')}
          />
        )}
        {isEmail ? (
          <Text size="xs" c="dimmed">
            Always required.
          </Text>
        ) : (
          <Checkbox
            label="Required"
            aria-label={`Require ${name}`}
            checked={field.required}
            onChange={({ currentTarget: { checked } }) => set({ required: checked })}
          />
        )}
      </Stack>
    </li>
  );
}

const action = (id: string, label: string) => ({
  ...{ variant: 'subtle' as const, color: 'gray', size: 'lg', 'aria-label': label },
  'data-action': id,
  className: classes.action ?? '',
});
