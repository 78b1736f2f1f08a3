import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The source of the Python SDK, copied without what earlier builds left. */
async function copySdk(folder: string): Promise<string> {
  const copied = join(folder, 'sdk-python');
  const source = join(import.meta.dirname, '../libs/sdk-python');
  await cp(source, copied, { recursive: true, filter: (path) => !/__pycache__|\.egg-info|\/(build|dist)$/.test(path) });
  return copied;
}

/**
 * A new environment with these packages, the Python SDK among them if asked. `missing` says what this machine does not have: Python
 * 3.11, venv, or a registry of packages.
 */
export async function pythonEnvironment(t: TestContext, packages: readonly string[], { sdk = false } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'python-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const python = join(folder, 'environment', 'bin', 'python');
  const fails = (command: string, ...args: string[]) =>
    run(command, args, { maxBuffer: 1e8 }).then(
      () => false,
      () => true,
    );
  const missing =
    ((await fails('python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 11))')) && 'Python 3.11 is not available') ||
    ((await fails('python3', '-m', 'venv', join(folder, 'environment'))) && 'python3 -m venv is not available') ||
    ((await fails(python, '-m', 'pip', 'install', '-q', ...packages, ...(sdk ? ['hatchling', 'httpx'] : []))) &&
      'pip cannot download packages') ||
    undefined;
  if (!missing && sdk) await run(python, ['-m', 'pip', 'install', '-q', await copySdk(folder)]);
  return { folder, python, missing };
}
