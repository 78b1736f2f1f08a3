import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Writes a .br and a .gz file beside each built text file, so that the gateway need not compress responses. */
export function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    async writeBundle({ dir }) {
      if (dir === undefined) return;
      const files = (await readdir(dir, { recursive: true })).filter((file) => /\.(?:js|css|svg)$/.test(file));
      await Promise.all(files.map((file) => compress(join(dir, file))));
    },
  };
}

async function compress(file: string) {
  const text = await readFile(file);
  await Promise.all([writeFile(`${file}.br`, await brotli(text)), writeFile(`${file}.gz`, await zip(text, { level: 9 }))]);
}
