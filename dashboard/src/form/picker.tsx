import { Select } from '@mantine/core';
import type { ReactNode } from 'react';

export type PickerProps = {
  label: string;
  isLabelVisible?: boolean;
  value: string;
  onChange: (value: string) => void;
  error?: ReactNode;
  description?: ReactNode;
  placeholder?: string;
};

export type Option = { value: string; label: string };

/** One of several things by its name. What is chosen stays an option, even if it is not known; while none are, they are being loaded. */
export function Picker({
  label,
  isLabelVisible = true,
  options,
  value,
  onChange,
  placeholder = 'Choose…',
  nothing,
  ...field
}: PickerProps & { options: readonly Option[]; nothing: string }) {
  const isKnown = value === '' || options.some((one) => one.value === value);
  return (
    <Select
      {...field}
      {...(isLabelVisible ? { label } : { 'aria-label': label })}
      searchable
      limit={100}
      placeholder={placeholder}
      nothingFoundMessage={nothing}
      data={[...options, ...(isKnown ? [] : [{ value, label: options.length === 0 ? '…' : value }])]}
      value={value === '' ? null : value}
      onChange={(chosen) => onChange(chosen ?? '')}
    />
  );
}
