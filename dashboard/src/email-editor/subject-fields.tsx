import { TextInput, type TextInputProps } from '@mantine/core';
import { useRef } from 'react';
import type { ContentForm } from '../email-design/content.ts';
import { mergeTag } from '../email-design/liquid-text.ts';
import classes from '../form/editor.module.css';
import { FieldMenu } from './tool-menu.tsx';

/** What a mailbox shows of an email before it is opened. */
export const SubjectFields = ({ form }: { form: ContentForm }) => (
  <div className={classes.pair}>
    <LiquidInput label="Subject" menuLabel="Insert a field in the subject" {...form.getInputProps('subject')} />
    <LiquidInput
      label="Preview text"
      menuLabel="Insert a field in the preview text"
      placeholder="Shown after the subject in the inbox"
      {...form.getInputProps('preview_text')}
    />
  </div>
);

/** A line of text with a menu of fields, which are inserted at the cursor. */
export function LiquidInput({ menuLabel, ...input }: TextInputProps & { menuLabel: string }) {
  const element = useRef<HTMLInputElement>(null);
  return (
    <TextInput
      {...input}
      ref={element}
      autoComplete="off"
      rightSectionPointerEvents="all"
      rightSection={
        <FieldMenu
          label={menuLabel}
          size={26}
          iconSize={16}
          onPick={({ field, fallback }) => element.current && insertAtCursor(element.current, mergeTag(field, fallback))}
        />
      }
    />
  );
}

function insertAtCursor(input: HTMLInputElement, text: string) {
  const { value, selectionStart, selectionEnd } = input;
  input.setRangeText(text, selectionStart ?? value.length, selectionEnd ?? value.length, 'end');
  // As if it was typed, so that the form gets it.
  input.dispatchEvent(new Event('input', { bubbles: true }));
  input.focus();
}
