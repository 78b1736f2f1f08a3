import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { durationLabel } from '../time/duration.ts';

const windows = ['PT1H', 'PT24H', 'P7D', 'P14D', 'P30D', 'P60D', 'P90D', 'P180D', 'P365D'];

type Props = {
  label: string;
  value: string;
  isOptional?: boolean;
  isLabelVisible?: boolean;
  onChange: (window: string) => void;
  error?: ReactNode;
};

/** Chooses an ISO 8601 duration. A current value that is not in the list is added to it. */
export function WindowField({ label, value, isOptional = false, isLabelVisible = false, onChange, error }: Props) {
  const choices = value === '' || windows.includes(value) ? windows : [value, ...windows];
  return (
    <NativeSelect
      {...(isLabelVisible ? { label } : { 'aria-label': label })}
      data={[
        ...(isOptional ? [{ value: '', label: 'no limit' }] : []),
        ...choices.map((window) => ({ value: window, label: durationLabel(window) })),
      ]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
    />
  );
}
