/** What a write of a run adds to the counters: a step, or `''` for the run as a whole; a counter; and by how much. */
export type Count = readonly [step: string, counter: string, by: number];

/** Counters of what is true now begin with this: they are not kept by hour and day. */
export const nowPrefix = 'now.';

/** The key of the end of a path among the next steps. No step id begins with it. */
export const endKey = '-';

/** The key of a variant: names can contain characters that MongoDB does not accept in field names. */
export const variantKey = (name: string) => Buffer.from(name).toString('base64url');

export const variantName = (key: string) => Buffer.from(key, 'base64url').toString();

/** Four buckets for each doubling of the time, so a quantile is off by at most a tenth. */
const bucketsPerDoubling = 4;

export const bucketOf = (seconds: number) => (seconds < 1 ? 0 : 1 + Math.floor(bucketsPerDoubling * Math.log2(seconds)));

/** The middle of a bucket, in seconds. */
export const secondsOf = (bucket: number) => (bucket === 0 ? 0 : 2 ** ((bucket - 0.5) / bucketsPerDoubling));
