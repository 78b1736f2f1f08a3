import { Autocomplete, TagsInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { commaList } from './comma-list.ts';

type Props = {
  label: string;
  placeholder?: string;
  values: readonly string[];
  value: string;
  onChange: (value: string) => void;
  error?: ReactNode;
};

const maxShown = 12;

/** A text with suggestions; any other text is also accepted. */
export const Suggest = ({ label, placeholder, values, value, onChange, error }: Props) => (
  <Autocomplete
    aria-label={label}
    {...(placeholder !== undefined && { placeholder })}
    data={[...new Set(values)]}
    limit={maxShown}
    autoComplete="off"
    value={value}
    onChange={onChange}
    error={error}
  />
);

/** Several texts with suggestions, as one text with commas. */
export const SuggestList = ({ label, placeholder, values, value, onChange, error }: Props) => (
  <TagsInput
    aria-label={label}
    {...(placeholder !== undefined && value === '' && { placeholder })}
    data={[...new Set(values)]}
    limit={maxShown}
    acceptValueOnBlur
    value={commaList(value)}
    onChange={(items) => onChange(items.join(', '))}
    error={error}
  />
);
