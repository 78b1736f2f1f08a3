import { Text } from '@mantine/core';
import { timeOfDay } from '../time/relative.ts';
import { type Segment, useBacklog } from './segments.ts';

/** Up to when the members are up to date, while changes of the account wait; nothing otherwise. */
export function MembersBacklog({ segment }: { segment: Pick<Segment, 'id'> }) {
  const { data: backlog, isError } = useBacklog(segment);
  if (!backlog || isError) return null;
  const { up_to_date_until: until } = backlog;
  return (
    <Text size="sm" c="dimmed" role="status">
      {until === null ? 'Being brought up to date' : `Up to date until ${timeOfDay(until, Date.now())}`}
    </Text>
  );
}
