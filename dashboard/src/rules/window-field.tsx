import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { durationLabel } from '../time/duration.ts';

const windows = ['PT1H', 'PT24H', 'P7D', 'P14D', 'P30D', 'P60D', 'P90D', 'P180D', 'P365D'];

type Props = {
  label: string;
  value: string;
  isOptional?: boolean;
  /** Words before each duration, so that the field reads as a part of a sentence. */
  prefix?: string;
  isLabelVisible?: boolean;
  onChange: (window: string) => void;
  error?: ReactNode;
};

/** Chooses an ISO 8601 duration. A current value that is not in the list is added to it. */
export function WindowField({ label, value, isOptional = false, prefix = '', isLabelVisible = false, onChange, error }: Props) {
  const choices = value === '' || windows.includes(value) ? windows : [value, ...windows];
  return (
    <NativeSelect
      // The whole phrase is seen, even on a phone.
      {...(prefix !== '' && { miw: 176 })}
      {...(isLabelVisible ? { label } : { 'aria-label': label })}
      data={[
        ...(isOptional ? [{ value: '', label: prefix === '' ? 'no limit' : 'at any time' }] : []),
        ...choices.map((window) => ({ value: window, label: `${prefix}${durationLabel(window)}` })),
      ]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
    />
  );
}
