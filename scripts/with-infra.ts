import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { acquireInfra } from '@mp/local-infra/infra';
import { runningPlatform } from '@mp/local-infra/platform-record';

const [file, ...args] = process.argv.slice(2);
if (file === undefined) fail(new Error('Usage: node scripts/with-infra.ts FILE [arguments]'));

// Help needs no database. Only the script writes to stdout, so that `npm run -s key` prints only the key.
const infra = args.includes('--help') ? undefined : await acquireInfra({ report: (line) => console.error(line) }).catch(fail);

// Links point to the platform that runs from this checkout, whatever its port.
const url = runningPlatform(join(import.meta.dirname, '..', '.data'))?.url;

const child = spawn(process.execPath, [file, ...args], {
  stdio: 'inherit',
  env: { NODE_ENV: 'development', ...(url !== undefined && { PUBLIC_URL: url }), ...infra?.env, ...process.env },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
child.once('error', fail);
child.once('exit', (code, signal) => {
  process.exitCode = code ?? 1;
  if (signal) console.error(`${file} was ended by ${signal}.`);
  Promise.resolve(infra?.release()).then(() => process.exit(), fail);
});

function fail(error: unknown): never {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
