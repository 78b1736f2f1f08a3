import { loadavg } from 'node:os';
import { machine } from './compare.ts';
import { keepResults } from './results.ts';

type Aim = [figure: string, aim: string, measured: string];

/** Asked before anything is measured. */
const load = (loadavg()[0] ?? Number.NaN).toFixed(2);

/** Prints a section of bench/RESULTS.md and puts it there: how it was measured, what, and the figures beside their aims. */
export async function tellResults(name: string, title: string, how: string, table: string, aims: readonly Aim[]) {
  const text = [
    `## ${title}`,
    `${machine()}, ${new Date().toISOString().slice(0, 10)}; ${how} Load of the machine at the start: ${load}. \`npm run bench -- ${name}\`.`,
    table,
    ['| figure | aim | measured |', '|---|---|---|', ...aims.map((aim) => `| ${aim.join(' | ')} |`)].join('\n'),
  ].join('\n\n');
  console.log(`\n${text}`);
  await keepResults(name, text);
}
