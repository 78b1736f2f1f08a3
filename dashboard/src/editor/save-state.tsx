import { Anchor } from '@mantine/core';
import { useFormState } from '../form/form-actions.tsx';
import classes from './editor.module.css';

/** Whether what is shown is saved, in words. */
export function SaveState({ live }: { live: string | undefined }) {
  const { isSaving, isDirty, isStored, error, compare } = useFormState();
  const still = isStored ? 'Saved' : 'Not saved yet';
  const words = isSaving ? 'Saving…' : error ? `Not saved: ${error.message}` : isDirty ? 'Unsaved changes' : still;
  return (
    <div className={classes.saveState} role="status" aria-label="Changes">
      {compare && !isSaving ? (
        <>
          <span className={classes.notSaved}>Not saved: changed elsewhere.</span>{' '}
          <Anchor component="button" type="button" inherit underline="always" onClick={compare}>
            Compare versions
          </Anchor>
        </>
      ) : (
        <span className={error && !isSaving ? classes.notSaved : undefined} title={error ? words : undefined}>
          {words}
        </span>
      )}
      {live && !error && !isSaving && <span className={classes.live}> · {live}</span>}
    </div>
  );
}
