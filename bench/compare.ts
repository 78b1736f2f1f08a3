import { cpus, totalmem } from 'node:os';

export type Candidate = { name: string; run: () => Promise<number> };

/**
 * Runs the candidates in turn, A B A B …, after one warm-up round, so that a drift in the speed of the machine affects all
 * of them. Prints a Markdown table: median, range, and the ratio of each median to the first.
 */
export async function compare(title: string, unit: string, candidates: readonly Candidate[], rounds = 5) {
  const results = new Map<string, number[]>(candidates.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const { name, run } of candidates) {
      const result = await run();
      if (round > 0) results.get(name)?.push(result);
    }
  }
  const figures = new Map([...results].map(([name, values]) => [name, summary(values)]));
  console.log(`\n### ${title}\n\n${machine()}; ${rounds} interleaved rounds after a warm-up.\n\n${comparison(unit, figures)}`);
  return figures;
}

/** A Markdown table of the candidates, each compared with the first. */
export function comparison(unit: string, figures: ReadonlyMap<string, ReturnType<typeof summary>>) {
  const [base = Number.NaN] = [...figures.values()].map(({ median }) => median);
  const rows = [...figures].map(
    ([name, { median, min, max }]) => `| ${name} | ${show(median)} | ${show(min)} – ${show(max)} | ${(median / base).toFixed(2)} |`,
  );
  return `| | ${unit}, median | range | ratio to the first |\n|---|---|---|---|\n${rows.join('\n')}`;
}

export function summary(values: readonly number[]) {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: quantile(sorted, 0.5), min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

/** The quantile of values in ascending order. */
export const quantile = (sorted: readonly number[], q: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;

export const machine = () =>
  `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;

const show = (value: number) => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3));
