import { Text } from '@mantine/core';
import { Status } from '../page/status.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import type { ApiKey } from './api-keys.ts';

/** The status of a key, with its expiry. */
export function KeyStatus({ apiKey: { status, expires_at, revoked_at } }: { apiKey: ApiKey }) {
  return (
    <Status tone={status === 'active' ? 'good' : status === 'expiring' ? 'warn' : 'over'}>
      {status === 'revoked' && <>Revoked {revoked_at && <RelativeTime at={revoked_at} />}</>}
      {status === 'expired' && <>Expired {expires_at && <RelativeTime at={expires_at} />}</>}
      {status === 'expiring' && <>Replaced, expires {expires_at && <RelativeTime at={expires_at} />}</>}
      {status === 'active' && (
        <>
          Active
          {expires_at && (
            <Text span inherit c="dimmed">
              , expires <RelativeTime at={expires_at} />
            </Text>
          )}
        </>
      )}
    </Status>
  );
}
