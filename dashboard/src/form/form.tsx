import { Fieldset } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type ReactNode, use, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { RequestFailed } from '../api/errors.ts';
import { removeDraft } from '../session/stored-draft.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { type FieldPaths, fieldErrors } from './field-errors.ts';
import { DialogFormContext, FormContext } from './form-context.ts';
import { type Draft, KeptDraft, useDraftKey } from './kept-draft.tsx';
import { UnsavedChanges } from './unsaved-changes.tsx';
import { type Autosave, useAutosave } from './use-autosave.ts';

type Props<Values> = {
  form: UseFormReturnType<Values>;
  /** The mutation that saves the form. */
  saving: { isPending: boolean; error: Error | null };
  paths?: FieldPaths;
  /** For resources that several users edit: shows the changes of another user. With a name, what users type is kept in the browser. */
  draft?: Draft<Values>;
  autosave?: Autosave<Values> | undefined;
  onSubmit: (values: Values) => void;
  children: ReactNode;
};

/**
 * Every form of the dashboard. It loses no edits: it asks before the user leaves with unsaved changes, and its fields are
 * disabled while it saves, because a change typed then would not be saved; not while it saves by itself, because the change is
 * saved next. Errors of the API are shown at their fields. If saving fails, the focus moves to the first invalid field, or else
 * returns to where it was.
 */
export function Form<Values extends object>({ form, saving, paths, draft, autosave, onSubmit, children }: Props<Values>) {
  const { isPending } = saving;
  const element = useRef<HTMLFormElement>(null);
  const focused = useRef<Element | null>(null);
  const needsFocus = useRef(false);
  const [applied, setApplied] = useState<Error | null>(null);
  /** The conflict whose versions were shown or hidden by the user, and the one that the user resolved. */
  const [seen, setSeen] = useState<{ error: Error; isOpen: boolean }>();
  const [resolved, setResolved] = useState<Error | null>(null);
  const [wanted, setWanted] = useState<'submit' | 'save'>();
  const error = saving.error === resolved ? null : saving.error;
  const hasConflict = draft?.stored !== undefined && error instanceof RequestFailed && error.code === 'PRECONDITION_FAILED';
  const draftAt = useDraftKey(draft?.name);
  const { byField, shown } = fieldErrors(error, form.values, paths);

  // Once any field is tracked, `isDirty` of the whole form overlooks lists whose items were added or removed.
  const isDirty = form.isDirty() || Object.keys(form.values).some((field) => form.isDirty(field));
  const { isAuto, setAuto, save, flush, leave } = useAutosave(autosave && { ...autosave, isOn: autosave.isOn && !hasConflict }, {
    values: form.values,
    isDirty,
    isPending,
  });
  const isBlocking = isPending && !isAuto;

  const settle = useEffectEvent(() => {
    if (isBlocking) {
      needsFocus.current = true;
      return;
    }
    if (isPending) return;
    if (error !== applied) {
      form.setErrors(byField);
      setApplied(error);
      return;
    }
    if (!needsFocus.current) return;
    needsFocus.current = false;
    const invalid = element.current?.querySelector('[aria-invalid="true"]:not([hidden] *)');
    const lost = document.activeElement === document.body ? focused.current : undefined;
    const target = invalid ?? lost;
    if (target instanceof HTMLElement) target.focus();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when saving ends, and again when its errors are shown.
  useEffect(() => settle(), [isPending, error, applied, form.errors]);

  const reportDirty = use(DialogFormContext);
  // Before the next key: an Escape right after an edit must not close the dialog.
  useLayoutEffect(() => reportDirty?.(isDirty), [reportDirty, isDirty]);

  const saveAgain = useEffectEvent(() => {
    // Submitting can do more than save, such as opening the next step.
    if (autosave?.isValid) void save();
    else element.current?.requestSubmit();
  });
  // After the render that brings the revision to save over.
  useEffect(() => {
    if (!wanted || isPending) return;
    setWanted(undefined);
    if (wanted === 'save') saveAgain();
    else element.current?.requestSubmit();
  }, [wanted, isPending]);

  const submit = form.onSubmit(
    (values) => {
      if (isPending) return setWanted(isAuto ? 'submit' : undefined);
      setAuto(false);
      focused.current = document.activeElement;
      onSubmit(values);
    },
    () => {
      needsFocus.current = true;
    },
  );

  // A save that nobody asked for must not take the focus from what is typed.
  const isComparing = seen?.error === error ? seen?.isOpen : !isAuto;
  const compare = hasConflict ? () => setSeen({ error, isOpen: true }) : undefined;
  const saveFirst = async () => {
    if (hasConflict) compare?.();
    else if (!autosave?.isValid) element.current?.requestSubmit();
    else if (await flush()) return true;
    // The user asked for it, so what went wrong may take the focus.
    setAuto(false);
    return false;
  };

  return (
    <form ref={element} onSubmit={submit} noValidate aria-busy={isBlocking}>
      {!reportDirty && <UnsavedChanges when={isDirty} onLeave={leave} onDiscard={() => draftAt && removeDraft(draftAt)} />}
      {draft && draftAt && <KeptDraft form={form} at={draftAt} draft={draft} saving={saving} />}
      {draft && hasConflict && isComparing && (
        <ConflictDialog
          form={form}
          draft={draft}
          onClose={() => setSeen({ error, isOpen: false })}
          onChoice={(keepsOwn) => {
            setResolved(error);
            setWanted(keepsOwn ? 'save' : undefined);
          }}
        />
      )}
      <Fieldset variant="unstyled" mx={0} miw={0} disabled={isBlocking}>
        <FormContext
          value={{
            isPending: isBlocking,
            isSaving: isPending,
            error,
            shown,
            isDirty,
            isStored: draft?.stored !== undefined,
            compare,
            saveFirst,
          }}
        >
          {children}
        </FormContext>
      </Fieldset>
    </form>
  );
}
