import { onPath } from './binary.ts';
import { repoRoot } from './repo.ts';
import { run } from './run.ts';

/** Runs the npm that started us, or the one on PATH, in the checkout, so that the user's configuration applies. */
export async function npm(args: readonly string[], { timeoutMs }: { timeoutMs: number }): Promise<string> {
  const script = process.env.npm_execpath;
  const quiet = [...args, '--loglevel=error', '--no-update-notifier'];
  // Other package managers set npm_execpath as well; only npm's own script is a file for Node.
  if (script?.endsWith('npm-cli.js')) return run(process.execPath, [script, ...quiet], { cwd: repoRoot, timeoutMs });
  const program = onPath('npm');
  if (program === undefined) throw new Error('npm is not on PATH');
  return run(program, quiet, { cwd: repoRoot, timeoutMs });
}
