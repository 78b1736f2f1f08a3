/** How many emails were done at a time (epoch milliseconds). */
export type Sample = { at: number; done: number };

const windowMs = 60_000;
const minMs = 5_000;

/** The samples of the last minute with a new one. */
export const withSample = (samples: readonly Sample[], sample: Sample): readonly Sample[] => [
  ...samples.filter(({ at }) => at < sample.at && at >= sample.at - windowMs),
  sample,
];

/** Emails per minute over the samples; undefined until they span a few seconds. */
export function rateOf(samples: readonly Sample[]): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.at - first.at < minMs) return undefined;
  return ((last.done - first.done) * 60_000) / (last.at - first.at);
}
