import { Button, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { FormError, useFormState } from '../form/form-actions.tsx';
import classes from './editor.module.css';
import { EditorFrame } from './editor-frame.tsx';
import { SaveState } from './save-state.tsx';

type Props = {
  /** What is edited, for the tab of the browser and for screen readers. */
  title: string;
  /** An `<EditorBack>` to the page before. */
  back: ReactNode;
  /** The input of its name. */
  name: object;
  status?: ReactNode;
  /** What saving does at once, if it does; such content is only saved when the user says so. */
  live?: string | undefined;
  /** Buttons before the one that saves. */
  more?: ReactNode;
  /** The primary action, if it is another than saving. */
  primary?: ReactNode;
  /** The label of the button that saves. Without one, nothing can be saved. */
  submit: string | undefined;
  /** Saves, where submitting the form does more. */
  onSave?: (() => void) | undefined;
  /** The title of an error. */
  failed: string;
  /** The content has the size of the window and scrolls by itself. */
  isFilling?: boolean;
  children: ReactNode;
};

/** A form that fills the window. Its header stays: the way back, the name, what is saved, and the actions. Ctrl or Cmd with S saves. */
export function Editor({ title, back, name, status, live, more, primary, submit, onSave, failed, isFilling = false, children }: Props) {
  const { isPending } = useFormState();
  const save = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      if (!document.querySelector('[role="dialog"]')) save.current?.click();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <EditorFrame
      title={title}
      isFilling={isFilling}
      header={
        <>
          {back}
          <TextInput
            aria-label="Name"
            placeholder="Name"
            autoComplete="off"
            className={classes.name ?? ''}
            classNames={{ input: classes.nameInput ?? '', error: classes.nameError ?? '' }}
            {...name}
          />
          {status}
          <SaveState live={live} />
          {more && <div className={classes.more}>{more}</div>}
          <div className={classes.actions}>
            {submit && (
              <Button
                ref={save}
                type={onSave ? 'button' : 'submit'}
                variant={primary ? 'default' : 'filled'}
                loading={isPending}
                onClick={onSave}
              >
                {submit}
              </Button>
            )}
            {primary}
          </div>
        </>
      }
    >
      <div className={classes.error}>
        <FormError title={failed} />
      </div>
      {children}
    </EditorFrame>
  );
}
