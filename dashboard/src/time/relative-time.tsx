import { absolute, relative } from './relative.ts';

/** A relative time such as "3 days ago", with the exact time on hover. */
export function RelativeTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={absolute(at)}>
      {relative(at, Date.now())}
    </time>
  );
}
