import { Button, Input, Menu, Stack, VisuallyHidden } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { fieldLabel } from '../contact-fields/field-labels.ts';
import { Panel } from '../page/panel.tsx';
import type { BuilderProps } from './builder.ts';
import { FieldCard } from './field-card.tsx';
import { attributePrefix, contactFields } from './field-types.ts';
import { type FieldDraft, moved, newField } from './form-draft.ts';
import classes from './forms.module.css';
import { textIn } from './texts.ts';

const maxFields = 30;
/** What gets the focus in the card of a field; at an end of the list, the button that can still be used. */
const targets = { input: 'input', up: '[data-action="up"]:not(:disabled)', down: '[data-action="down"]:not(:disabled)' } as const;

/** What visitors fill in, in order. The focus follows a field that is moved, and stays in the list when one is removed. */
export function FieldsPanel({ form, language }: BuilderProps) {
  const { fields, language: fallback } = form.values;
  const list = useRef<HTMLOListElement>(null);
  const [focus, setFocus] = useState<{ key: string; on: keyof typeof targets }>();
  const [announcement, setAnnouncement] = useState('');

  useLayoutEffect(() => {
    if (!focus) return;
    setFocus(undefined);
    const card = list.current?.querySelector(`[data-field="${CSS.escape(focus.key)}"]`);
    const target = card?.querySelector<HTMLElement>(targets[focus.on]) ?? card?.querySelector<HTMLElement>('button:not(:disabled)');
    target?.focus();
  }, [focus]);

  const set = (next: FieldDraft[]) => {
    form.clearErrors();
    form.setFieldValue('fields', next);
  };
  const add = (field: string) => {
    const added = newField(field, form.values);
    set([...fields, added]);
    setFocus({ key: added.key, on: 'input' });
  };
  const move = (key: string, to: number) => {
    const from = fields.findIndex((field) => field.key === key);
    const field = fields[from];
    if (!field || from === to) return;
    set(moved(fields, from, to));
    setFocus({ key, on: to > from ? 'down' : 'up' });
    setAnnouncement(`${textIn(field.label, language, fallback)} is now field ${to + 1} of ${fields.length}.`);
  };
  const remove = (index: number) => {
    const next = fields.toSpliced(index, 1);
    set(next);
    const neighbor = next[index] ?? next.at(-1);
    if (neighbor) setFocus({ key: neighbor.key, on: 'up' });
  };
  const unused = contactFields.filter((name) => !fields.some(({ field }) => field === name));

  return (
    <Panel title="Fields">
      <Stack gap="md">
        <Input.Wrapper
          labelElement="div"
          description="The email is always among them, because it identifies the contact."
          error={form.errors.fields}
        >
          <ol className={classes.cards} ref={list} aria-label="Fields">
            {fields.map((field, index) => (
              <FieldCard
                key={field.key}
                {...{ form, language, field, index }}
                onMove={(by) => move(field.key, index + by)}
                onDropped={(key) => move(key, index)}
                onRemove={() => remove(index)}
              />
            ))}
          </ol>
        </Input.Wrapper>
        <VisuallyHidden aria-live="polite">{announcement}</VisuallyHidden>
        {fields.length < maxFields && (
          <Menu position="bottom-start" returnFocus={false}>
            <Menu.Target>
              <Button variant="default" className={classes.add ?? ''} leftSection={<IconPlus size={16} aria-hidden />}>
                Add field
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {unused.map((name) => (
                <Menu.Item key={name} onClick={() => add(name)}>
                  {fieldLabel(name)}
                </Menu.Item>
              ))}
              <Menu.Divider />
              <Menu.Item onClick={() => add(attributePrefix)}>Attribute</Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </Stack>
    </Panel>
  );
}
