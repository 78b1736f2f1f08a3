import { readFile, writeFile } from 'node:fs/promises';

/** BENCH_RESULTS names another file, for short runs. */
const file = process.env.BENCH_RESULTS ?? new URL('RESULTS.md', import.meta.url);

/** Replaces the section of this name in bench/RESULTS.md, or appends it. */
export async function keepResults(name: string, text: string) {
  const before = process.env.BENCH_RESULTS ? await readFile(file, 'utf8').catch(() => '') : await readFile(file, 'utf8');
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const section = `${begin}\n\n${text.trim()}\n\n${end}`;
  const from = before.indexOf(begin);
  const to = before.indexOf(end);
  const after = from === -1 ? `${before.trimEnd()}\n\n${section}\n` : before.slice(0, from) + section + before.slice(to + end.length);
  await writeFile(file, after);
}
