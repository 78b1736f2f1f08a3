import { loadavg } from 'node:os';
import { machine } from './compare.ts';
import { keepResults } from './results.ts';

type Aim = [figure: string, aim: string, measured: string];

/** Read before the benchmark starts. */
const load = (loadavg()[0] ?? Number.NaN).toFixed(2);

/** Prints a section with the method, the results and their targets, and writes it to bench/RESULTS.md. */
export async function writeResults({
  name,
  title,
  how,
  table,
  aims,
}: {
  name: string;
  title: string;
  how: string;
  table: string;
  aims: readonly Aim[];
}) {
  const text = [
    `## ${title}`,
    `${machine()}, ${new Date().toISOString().slice(0, 10)}; ${how} Load of the machine at the start: ${load}. \`npm run bench -- ${name}\`.`,
    table,
    ['| metric | target | measured |', '|---|---|---|', ...aims.map((aim) => `| ${aim.join(' | ')} |`)].join('\n'),
  ].join('\n\n');
  console.log(`\n${text}`);
  await keepResults(name, text);
}
