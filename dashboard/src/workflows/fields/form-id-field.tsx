import type { ReactNode } from 'react';
import { FormPicker } from '../../names/pickers.tsx';

type Props = { value: string | undefined; onChange: (formId: string | undefined) => void; error?: ReactNode };

const any = 'any';

/** The form of a condition, by its name; any form if none is chosen. */
export const FormIdField = ({ value = any, onChange, error }: Props) => (
  <FormPicker
    label="Form"
    more={[{ value: any, label: 'Any form' }]}
    value={value}
    onChange={(chosen) => onChange(chosen === any || chosen === '' ? undefined : chosen)}
    error={error}
  />
);
