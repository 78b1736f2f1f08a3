import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from './find.ts';
import { run } from './run.ts';

export const natsRelease = 'v2.11.17';

const architectures: Partial<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

export async function fetchNatsRelease(folder: string, report: Report): Promise<string> {
  const arch = architectures[process.arch];
  if (arch === undefined || !['linux', 'darwin'].includes(process.platform))
    throw new Error(`there is no release for ${process.platform} on ${process.arch}`);
  const name = `nats-server-${natsRelease}-${process.platform}-${arch}`;
  const base = `https://github.com/nats-io/nats-server/releases/download/${natsRelease}`;

  const sums = (await download(`${base}/SHA256SUMS`, 10_000)).toString('utf8');
  const expected = sums
    .split('\n')
    .map((line) => line.trim().split(/\s+\*?/))
    .find(([, file]) => file === `${name}.tar.gz`)?.[0];
  if (expected === undefined) throw new Error(`${base}/SHA256SUMS does not name ${name}.tar.gz`);

  report(`downloading nats-server ${natsRelease}`);
  const archive = await download(`${base}/${name}.tar.gz`, 120_000);
  const actual = createHash('sha256').update(archive).digest('hex');
  if (actual !== expected) throw new Error(`${name}.tar.gz has SHA-256 ${actual}, not ${expected}; it was not unpacked`);

  const tarball = join(folder, 'nats-server.tar.gz');
  await writeFile(tarball, archive);
  await run('tar', ['-xzf', tarball, '-C', folder, `${name}/nats-server`], { timeoutMs: 30_000 });
  return join(folder, name, 'nats-server');
}

async function download(url: string, timeoutMs: number): Promise<Buffer> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).catch((error: unknown) => {
    throw new Error(`cannot reach ${url}: ${error instanceof Error ? error.message : error}`);
  });
  if (!response.ok) throw new Error(`${url} returned ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}
