import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { finished, pipeline } from 'node:stream/promises';
import { readOptions, refuse } from './read-options.ts';

/** Applies journals to the databases of a restored backup: each service takes its own entries. */
const services = ['gateway', 'contacts', 'campaigns', 'workflows'];
const usage = `npm run apply-journal -- journal.ndjson [more.ndjson …]

Applies journals from \`npm run export-journal\` after a restore. The platform can be running with MAINTENANCE=1. Idempotent.`;

const { positionals: files } = readOptions(usage, {}, { positionals: true });
if (files.length === 0) refuse('Pass the file of a journal.', usage);

for (const name of services) {
  const main = join(import.meta.dirname, '../services', name, 'src/main.ts');
  const child = spawn(process.execPath, [main, 'apply-journal'], { stdio: ['pipe', 'inherit', 'inherit'] });
  const code = new Promise<number | null>((resolve) => child.once('exit', resolve));
  try {
    for (const file of files) await pipeline(createReadStream(file), child.stdin, { end: false });
    child.stdin.end();
    await finished(child.stdin);
  } catch (error) {
    // A service that rejects the input stops reading it and reports why.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error;
  }
  if ((await code) !== 0) throw new Error(`${name} did not apply the journal.`);
}
