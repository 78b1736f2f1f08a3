/**
 * The lanes of a stream. Events that imports, bulk jobs, backfills and floods cause by the hundred take the `bulk` lane, so that
 * the events of other accounts, and of a single change, do not wait behind them.
 */
export const lanes = ['live', 'bulk'] as const;
export type Lane = (typeof lanes)[number];

/**
 * The events that have a bulk lane: those that a bulk change causes for each contact. All others are published in the live lane; what
 * they cause is in the lane that their envelope names.
 */
const withBulk = [
  'contacts.contact',
  'contacts.form.confirmation_requested',
  'segments.membership',
  'leadpulse.event',
  'campaigns.message',
  'workflows.run',
];

/** The tokens of every event's subject, such as `contacts.contact.created.v1`. */
const tokens = 4;

const suffix = '.bulk';

export const hasBulkLane = (subject: string): boolean => withBulk.some((start) => subject.startsWith(`${start}.`));

/** The subject that an event is published under in its lane. */
export const subjectIn = (lane: Lane, subject: string): string =>
  lane === 'bulk' && hasBulkLane(subject) ? `${subject}${suffix}` : subject;

/** The lane that an event was published in: that of its row, unless it has no bulk lane. */
export const laneOfSubject = (subject: string): Lane => (subject.endsWith(suffix) ? 'bulk' : 'live');

/**
 * What the consumers of the two lanes read, for a filter such as `contacts.contact.>`. That of the live lane is exact, so that it
 * leaves out the bulk lane; when none of the events has one, it is unchanged.
 */
export function laneFilters(filter: string): { live: string; bulk?: string } {
  const parts = filter.split('.');
  const open = parts.at(-1) === '>' ? parts.slice(0, -1) : parts;
  const hasBulk = withBulk.some((start) => start.split('.').every((token, index) => index >= open.length || open[index] === token));
  if (!hasBulk) return { live: filter };
  const live = [...open, ...Array<string>(tokens - open.length).fill('*')].join('.');
  return { live, bulk: `${live}${suffix}` };
}

/** A job with few items is as quick as a single change: only what it changes beyond them waits in the bulk lane. */
const liveItems = 500;

/** The lane of a job's next chunk, by the number of items before it. */
export const laneOfJob = (done: number): Lane => (done < liveItems ? 'live' : 'bulk');

/** An account that writes more events than this is a flood: what it writes beyond takes the bulk lane. */
export const flood = { perSecond: 200, burst: 1_000 };
