import { Text } from '@mantine/core';
import { RelativeTime } from '../time/relative-time.tsx';
import { type Consent, methods, statuses } from './consent.ts';

/** One consent: status, method and time. */
export function ConsentStatus({ consent }: { consent: Consent | null }) {
  if (!consent)
    return (
      <Text span inherit c="dimmed">
        Not recorded
      </Text>
    );
  return (
    <>
      {statuses[consent.status]}{' '}
      <Text span inherit c="dimmed">
        {methods[consent.method]}, <RelativeTime at={consent.at} />
      </Text>
    </>
  );
}
