import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

type Props = { value: string | undefined; onChange: (formId: string | undefined) => void; error?: ReactNode };

/** The form of a condition; any form if it is empty. */
export function FormIdField({ value = '', onChange, error }: Props) {
  return (
    <TextInput
      label="Form"
      description="The ID of a form. Empty for any form."
      placeholder="Any form"
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value.trim() || undefined)}
      error={error}
    />
  );
}
