import { absolute, relative } from './relative.ts';

/** "3 days ago", with the exact instant for whoever points at it. */
export function RelativeTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={absolute(at)}>
      {relative(at, Date.now())}
    </time>
  );
}
