import { onPath } from './binary.ts';
import { repoRoot } from './repo.ts';
import { run } from './run.ts';

/** Runs the npm that started this process, with its Node, or the npm on PATH. In the checkout, so that the user's configuration applies. */
export async function npm(args: readonly string[], { timeoutMs }: { timeoutMs: number }): Promise<string> {
  const { npm_execpath: script, npm_node_execpath: node = process.execPath } = process.env;
  const quiet = [...args, '--loglevel=error', '--no-update-notifier'];
  // The machine's own Node may trust the machine's certificates; the pinned Node needs this variable to do so.
  const command = { cwd: repoRoot, env: { NODE_USE_SYSTEM_CA: '1', ...process.env }, timeoutMs };
  // Other package managers set npm_execpath too; only npm's is a script for Node.
  if (script?.endsWith('npm-cli.js')) return run(node, [script, ...quiet], command);
  const program = onPath('npm');
  if (program === undefined) throw new Error('npm is not on PATH');
  return run(program, quiet, command);
}
