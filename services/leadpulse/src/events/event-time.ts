import type { EventBody } from './event-body.ts';

const day = 24 * 60 * 60 * 1_000;

/** How far the sender's clock can be ahead without being corrected. */
const maxAheadMs = 10_000;

/**
 * How far it can be behind: so long a request can take, of a page with a poor connection or to a busy server. Correcting for
 * that would move its events to when it arrived.
 */
const maxBehindMs = 60_000;

/** When an event happened, corrected if the sender's clock is wrong. */
export function timeOf({ timestamp, sent_at }: EventBody, now: Date): Date {
  if (!timestamp) return now;
  const behind = sent_at ? now.getTime() - Date.parse(sent_at) : 0;
  const isWrong = behind > maxBehindMs || behind < -maxAheadMs;
  return new Date(Date.parse(timestamp) + (isWrong ? behind : 0));
}

/** Why an event of this time is rejected; undefined if it is not. */
export function outOfRange(time: Date, now: Date, maxDays: number) {
  const refused = (what: string) => ({ code: 'timestamp_out_of_range', message: `timestamp ${what}`, path: '/timestamp' });
  if (time.getTime() > now.getTime() + day) return refused('must be at most 24 hours in the future');
  if (time.getTime() < now.getTime() - maxDays * day) return refused(`must be at most ${maxDays} days in the past`);
  return undefined;
}
