import { Group, NativeSelect } from '@mantine/core';
import { DurationField } from '../../form/duration-field.tsx';

type Props = { value: string | undefined; onChange: (offset: string | undefined) => void };

/** How long before or after a date. */
export function DateOffsetField({ value, onChange }: Props) {
  const side = value === undefined ? 'on' : value.startsWith('-') ? 'before' : 'after';
  const length = value?.replace(/^[+-]/, '') ?? 'P1D';
  const offset = (chosen: string, text: string) => onChange(chosen === 'on' ? undefined : chosen === 'before' ? `-${text}` : text);
  return (
    <>
      <NativeSelect
        label="When"
        data={[
          { value: 'on', label: 'On the date' },
          { value: 'before', label: 'Before the date' },
          { value: 'after', label: 'After the date' },
        ]}
        value={side}
        onChange={(event) => offset(event.currentTarget.value, length)}
      />
      {side !== 'on' && (
        <Group>
          <DurationField
            label={side === 'before' ? 'How long before' : 'How long after'}
            value={length}
            onChange={(text) => offset(side, text)}
          />
        </Group>
      )}
    </>
  );
}
