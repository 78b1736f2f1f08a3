import type { Parts } from '@mp/service-kit/service-parts';

/** The value of the first sample that starts like this, such as `name` or `name{label="value"`. */
export async function metric({ metrics }: Pick<Parts, 'metrics'>, sample: string): Promise<number> {
  const lines = (await metrics.registry.metrics()).split('\n');
  const line = lines.find((one) => one.startsWith(sample) && /^[{ ,}]/.test(one.slice(sample.length)));
  return Number(line?.split(' ').at(-1));
}
