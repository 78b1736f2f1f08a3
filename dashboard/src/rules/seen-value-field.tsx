import { Autocomplete, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { isShared, useSeenValues } from './seen-values.ts';

const maxShown = 50;

type Props = {
  of: string;
  label?: string;
  'aria-label'?: string;
  'data-autofocus'?: boolean;
  type?: 'text' | 'email' | 'tel';
  placeholder?: string;
  value?: string;
  onChange: (value: string) => void;
  error?: ReactNode;
};

/** A value of a field, tag or attribute of contacts; suggests those that contacts have. Any other text is also accepted. */
export function SeenValueField({ of, onChange, ...input }: Props) {
  const values = useSeenValues(of);
  if (!isShared(of)) return <TextInput autoComplete="off" {...input} onChange={({ currentTarget: { value } }) => onChange(value)} />;
  return <Autocomplete autoComplete="off" limit={maxShown} {...input} onChange={onChange} data={[...values]} />;
}
