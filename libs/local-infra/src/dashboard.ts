import { existsSync, globSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './npm.ts';

export const buildTimeoutMs = 180_000;

/** Builds the dashboard if its sources are newer than the last build. A failed build is only reported, because the API works without it. */
export async function buildDashboard(root: string, logs: string, report: (line: string) => void): Promise<void> {
  const folder = join(root, 'dashboard');
  if (!existsSync(join(folder, 'index.html')) || isFresh(folder)) return;
  report('building the dashboard');
  try {
    await npm(['run', '-s', 'build', '-w', '@mp/dashboard'], { timeoutMs: buildTimeoutMs });
  } catch (error) {
    const log = join(logs, 'dashboard.log');
    writeFileSync(log, `${error instanceof Error ? error.message : error}\n`);
    report(`cannot build the dashboard (see ${log}); the API works without it`);
  }
}

function isFresh(folder: string): boolean {
  const built = statSync(join(folder, 'dist', 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = globSync('**/*', { cwd: folder, exclude: (name) => name === 'node_modules' || name === 'dist' || name === 'test' });
  return sources.every((file) => statSync(join(folder, file)).mtimeMs <= built);
}
