import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { readOptions, refuse } from './read-options.ts';

/** Prints what restoring a backup must not undo or repeat, from the streams. */
const usage = `npm run -s export-journal -- --since 2026-11-20T00:00:00Z > journal.ndjson

Prints the changes since then that restoring a backup must not undo or repeat, for \`npm run apply-journal\`. Streams keep events
for seven days.`;

const { values } = readOptions(usage, { since: { type: 'string' } });
if (values.since === undefined || Number.isNaN(Date.parse(values.since)))
  refuse('--since: expected a time such as 2026-11-20T00:00:00Z', usage);

const main = join(import.meta.dirname, '../services/contacts/src/main.ts');
const child = spawn(process.execPath, [main, 'export-journal', '--since', values.since], { stdio: 'inherit' });
child.once('exit', (code) => process.exit(code ?? 1));
