import { Autocomplete } from '@mantine/core';
import type { PickerProps } from '../form/picker.tsx';
import { eventLabel, eventNamed } from './event-labels.ts';
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
      value={eventLabel(value)}
      onChange={(text) => onChange(eventNamed(text))}
    />
  );
}
