import { Fieldset } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { UnsavedChanges } from './unsaved-changes.tsx';

type Props = { isChanged: boolean; isPending: boolean; onSubmit: () => void; children: ReactNode };

/**
 * A form that loses no edits: it asks before the user leaves with unsaved changes, and its fields are disabled while it
 * saves, because a change typed then would not be saved. If saving fails, the focus returns to where it was.
 */
export function EditForm({ isChanged, isPending, onSubmit, children }: Props) {
  const focused = useRef<Element | null>(null);
  useEffect(() => {
    if (isPending) return;
    if (document.activeElement === document.body && focused.current instanceof HTMLElement) focused.current.focus();
    focused.current = null;
  }, [isPending]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    focused.current = document.activeElement;
    onSubmit();
  };

  return (
    <form onSubmit={submit} noValidate aria-busy={isPending}>
      <UnsavedChanges when={isChanged} />
      <Fieldset variant="unstyled" disabled={isPending}>
        {children}
      </Fieldset>
    </form>
  );
}
