import { RelativeTime } from '../time/relative-time.tsx';
import type { ApiKey } from './api-keys.ts';
import classes from './key-status.module.css';

/** Whether the key works, and until when. */
export function KeyStatus({ apiKey: { status, expires_at, revoked_at } }: { apiKey: ApiKey }) {
  return (
    <span className={classes.status} data-status={status}>
      {status === 'revoked' && <>Revoked {revoked_at && <RelativeTime at={revoked_at} />}</>}
      {status === 'expired' && <>Expired {expires_at && <RelativeTime at={expires_at} />}</>}
      {status === 'active' && (
        <>
          Active
          {expires_at && (
            <span className={classes.until}>
              , ends <RelativeTime at={expires_at} />
            </span>
          )}
        </>
      )}
    </span>
  );
}
