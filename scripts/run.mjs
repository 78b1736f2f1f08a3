// Runs a script of this repository: `node scripts/run.mjs scripts/start.ts [arguments]`. Installs the dependencies if package-lock.json
// has changed, then runs the script with the Node that it pins. Starts on the Node of the machine and without node_modules: plain
// JavaScript, built-ins only. Prints nothing to stdout, so that `npm run -s key` prints only the key.
import { spawn } from 'node:child_process';
import { pinnedNode } from './install.mjs';

const child = spawn(pinnedNode(), process.argv.slice(2), {
  stdio: 'inherit',
  // The script ends when npm is killed, so it has to find npm above this process.
  env: { ...process.env, LAUNCHER_PARENT: String(process.ppid) },
});
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
for (const signal of signals) process.on(signal, () => child.kill(signal));

child.once('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
child.once('exit', (code, signal) => {
  if (signal === null) process.exit(code);
  // Ends by the same signal, as the script would have without this process.
  for (const handled of signals) process.removeAllListeners(handled);
  process.kill(process.pid, signal);
});
