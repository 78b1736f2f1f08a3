import { execFile } from 'node:child_process';
import { copyFile, cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';

const run = promisify(execFile);
const folder = join(import.meta.dirname, '..');
const root = join(folder, '..', '..');

/**
 * Writes the package to publish into `dist/`: one module without comments, declarations with them, and its own package.json.
 * In this repository everything imports the source.
 */
export async function buildSdk(dist = join(folder, 'dist')): Promise<string> {
  await rm(dist, { recursive: true, force: true });
  const bundle = await rolldown({ input: join(folder, 'src/sdk.ts'), platform: 'neutral' });
  await bundle.write({ file: join(dist, 'sdk.js'), format: 'esm', comments: { legal: false, annotation: false, jsdoc: false } });
  await bundle.close();
  const tsc = join(root, 'node_modules/.bin/tsc');
  await run(tsc, ['-p', join(folder, 'tsconfig.build.json'), '--outDir', dist], { maxBuffer: 1e8 });

  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const manifest = {
    ...{ name, version, license, type: 'module' },
    description: 'The TypeScript client of the marketing platform.',
    keywords: ['marketing', 'email', 'contacts', 'segments', 'api'],
    sideEffects: false,
    engines: { node: '>=20.3' },
    exports: { '.': { types: './sdk.d.ts', default: './sdk.js' }, './package.json': './package.json' },
  };
  await writeFile(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await copyFile(join(folder, 'README.md'), join(dist, 'README.md'));
  await cp(join(root, 'LICENSE'), join(dist, 'LICENSE'));
  return dist;
}

if (import.meta.main) process.stdout.write(`Wrote ${await buildSdk()}. Publish it with: npm publish libs/sdk/dist\n`);
