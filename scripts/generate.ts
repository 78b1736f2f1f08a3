import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { generatedFiles } from './generated-files.ts';

const root = new URL('../', import.meta.url);
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

/** Writes all generated documents. With `--check`, writes nothing and fails if one is out of date. */
const stale: string[] = [];
for (const [path, text] of await generatedFiles()) {
  const current = await readFile(new URL(path, root), 'utf8').catch(() => undefined);
  if (current === text) continue;
  stale.push(path);
  if (!values.check) await writeFile(new URL(path, root), text);
}

if (values.check && stale.length > 0) {
  process.stderr.write(`Out of date, run "npm run generate" and commit:\n  ${stale.join('\n  ')}\n`);
  process.exit(1);
}
process.stdout.write(stale.length === 0 ? 'Generated documents are up to date.\n' : `Wrote ${stale.join(', ')}.\n`);
process.exit(0);
