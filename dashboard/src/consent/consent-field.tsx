import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { optionIn, optionsOf } from '../form/options.ts';
import type { Consent } from './consent.ts';

export type ConsentChoice = Consent['status'] | '';

const choices: Record<Consent['status'], string> = {
  subscribed: 'Subscribed: they agreed to receive email',
  pending: 'Pending: they still have to confirm',
  unsubscribed: 'Unsubscribed: do not email them',
};

type Props = { label: string; value?: ConsentChoice; onChange: (value: ConsentChoice) => void; error?: ReactNode };

/** The consent of new contacts. There is no default: a value has to be chosen. */
export const ConsentField = ({ label, value = '', onChange, error }: Props) => (
  <NativeSelect
    label={label}
    required
    withAsterisk={false}
    data={[{ value: '', label: 'Choose…' }, ...optionsOf(choices)]}
    value={value}
    onChange={(event) => onChange(optionIn(choices, event.currentTarget.value) ?? '')}
    error={error}
  />
);

export const consentMissing = 'Choose a consent status.';
