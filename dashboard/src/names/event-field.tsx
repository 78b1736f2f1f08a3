import { Autocomplete } from '@mantine/core';
import type { PickerProps } from '../form/picker.tsx';
import { useSeenEvents } from './seen-events.ts';

/** The name of an event; suggests those that were tracked. */
export function EventField({ placeholder = 'order_placed', ...props }: PickerProps) {
  const events = useSeenEvents();
  return <Autocomplete {...props} placeholder={placeholder} data={events.filter((name) => name !== '')} limit={50} />;
}
