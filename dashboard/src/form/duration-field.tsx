import { Group, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { durationOf, durationParts, durationUnits } from '../time/duration.ts';
import { optionIn, optionsOf } from './options.ts';

type Props = { label: string; value: string; onChange: (value: string) => void; error?: ReactNode };

/** A length of time as a number and a unit. One with several units is shown as it is written. */
export function DurationField({ label, value, onChange, error }: Props) {
  const parts = durationParts(value);
  if (!parts) {
    return (
      <TextInput
        label={label}
        description="Such as P1DT12H"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
      />
    );
  }
  const { amount, unit } = parts;
  return (
    <Group gap="xs" align="end" wrap="nowrap">
      <NumberInput
        label={label}
        flex={1}
        min={0}
        max={10_000}
        allowDecimal={false}
        allowNegative={false}
        value={amount}
        onChange={(chosen) => onChange(durationOf(Number(chosen) || 0, unit))}
        error={error}
      />
      <NativeSelect
        aria-label={`${label}, unit`}
        w={120}
        data={optionsOf(durationUnits)}
        value={unit}
        onChange={(event) => onChange(durationOf(amount, optionIn(durationUnits, event.currentTarget.value) ?? unit))}
      />
    </Group>
  );
}
