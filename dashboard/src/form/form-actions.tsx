import { Button, Group, Stack } from '@mantine/core';
import { type ReactNode, use } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { RequestFailed } from '../api/errors.ts';
import classes from './form-actions.module.css';
import { FormContext } from './form-context.ts';

type ErrorProps = {
  title: string;
  /** Shows the path of each error, for bodies written as JSON. */
  namesPaths?: boolean;
};

/** The error of the form, unless all of it is shown at the fields. */
export function FormError({ title, namesPaths = false }: ErrorProps) {
  const { error, shown } = useFormState();
  if (!error) return null;
  const isAtFields = error instanceof RequestFailed && error.details.length > 0 && error.details.length === shown.length;
  return isAtFields ? null : <ErrorAlert error={error} title={title} namesPaths={namesPaths} shownElsewhere={shown} />;
}

type Props = {
  submit: string;
  /** The title of an error. */
  failed: string;
  /** Closes the dialog, or a link to the page before. */
  cancel?: (() => void) | ReactNode;
  namesPaths?: boolean;
};

/** The end of a form: its error and its buttons. */
export function FormActions({ submit, failed, cancel, namesPaths = false }: Props) {
  const { isPending } = useFormState();
  return (
    <Stack gap="md" className={classes.actions ?? ''}>
      <FormError title={failed} namesPaths={namesPaths} />
      <Group justify="flex-end" gap="sm">
        {typeof cancel === 'function' ? (
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
        ) : (
          cancel
        )}
        <Button type="submit" loading={isPending}>
          {submit}
        </Button>
      </Group>
    </Stack>
  );
}

/** The state of the surrounding form. */
export function useFormState() {
  const form = use(FormContext);
  if (!form) throw new Error('Must be used inside Form');
  return form;
}
