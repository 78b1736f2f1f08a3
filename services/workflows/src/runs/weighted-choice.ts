import { createHash } from 'node:crypto';

/** The index of one of the weights: always the same for these names, and in proportion to the weights over many names. */
export function weightedChoice(names: readonly string[], weights: readonly number[]): number {
  const hash = createHash('sha256').update(names.join('\n')).digest();
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let point = hash.readUIntBE(0, 6) % total;
  return weights.findIndex((weight) => {
    point -= weight;
    return point < 0;
  });
}
