import { Autocomplete, Text } from '@mantine/core';
import type { PickerProps } from '../form/picker.tsx';
import { eventLabel, eventNamed, eventWords } from './event-labels.ts';
import { useSeenEvents, useSeenTraffic } from './seen-events.ts';

type Props = PickerProps & {
  /** Also suggests the pages that were viewed. */
  withPages?: boolean;
};

const maxShown = 50;

/** The name of an event; suggests those that were tracked. */
export function EventField({
  label,
  isLabelVisible = true,
  placeholder = 'Choose an event…',
  value,
  onChange,
  withPages = false,
  ...field
}: Props) {
  const events = useSeenEvents();
  const pages = useSeenTraffic('page', withPages);
  const data = [...new Set([...events.filter((name) => name !== '').map(eventLabel), ...pages])];
  return (
    <Autocomplete
      {...field}
      {...(isLabelVisible ? { label } : { 'aria-label': label })}
      placeholder={placeholder}
      autoComplete="off"
      data={data}
      limit={maxShown}
      renderOption={({ option }) => <EventOption name={option.value} />}
      value={eventLabel(value)}
      onChange={(text) => onChange(eventNamed(text))}
    />
  );
}

/** An event as sentences name it, with the name that was tracked where that differs. */
function EventOption({ name }: { name: string }) {
  const words = eventWords(name);
  if (words === name) return name;
  return (
    <span>
      {words}{' '}
      <Text span inherit c="dimmed">
        {name}
      </Text>
    </span>
  );
}
