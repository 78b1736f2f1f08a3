import { Code, Group, MultiSelect, NativeSelect, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { receivedLabel } from './event-names.ts';
import { useEventTypes } from './webhooks.ts';

type Props = { value?: string[]; onChange: (events: string[]) => void; error?: ReactNode };

/** Chooses types of events, whole groups, or all; shows an example of the payload of each type. */
export function EventPicker({ value: events = [], onChange, error }: Props) {
  const { data } = useEventTypes();
  const [shown, setShown] = useState('');
  const types = data?.items ?? [];
  const groups = [...new Set(types.map(({ type }) => `${type.split('.')[0]}.*`))];
  const options = [
    {
      group: 'Groups',
      items: ['*', ...groups].map((value) => ({ value, label: receivedLabel(value) })),
    },
    { group: 'Events', items: types.map(({ type, summary }) => ({ value: type, label: summary })) },
  ];
  const example = types.find(({ type }) => type === shown)?.example;
  return (
    <Stack gap="xs">
      <MultiSelect
        label="Events"
        description="The types of events to send."
        placeholder={events.length === 0 ? 'Choose events' : ''}
        searchable
        clearable
        hidePickedOptions
        renderOption={({ option: { value, label } }) => (
          <span>
            {label}
            <Text component="span" display="block" size="xs" c="dimmed">
              {value}
            </Text>
          </span>
        )}
        data={options}
        value={events}
        onChange={onChange}
        error={error}
      />
      <Group align="end">
        <NativeSelect
          label="Example"
          data={[{ value: '', label: 'Choose an event' }, ...types.map(({ type, summary }) => ({ value: type, label: summary }))]}
          value={shown}
          onChange={(event) => setShown(event.currentTarget.value)}
        />
      </Group>
      {example && (
        <Code block mah={240} tabIndex={0} aria-label="Example payload">
          {JSON.stringify(example, null, 2)}
        </Code>
      )}
    </Stack>
  );
}
