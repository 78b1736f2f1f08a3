import { execFile } from 'node:child_process';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';

const run = promisify(execFile);
const folder = join(import.meta.dirname, '..');
const root = join(folder, '..', '..');

/** Writes the package to publish into `dist/`, for sites that bundle the tracker with their own code. */
export async function buildPackage(dist = join(folder, 'dist')): Promise<string> {
  await rm(dist, { recursive: true, force: true });
  const bundle = await rolldown({ input: join(folder, 'src/page/tracker.ts'), platform: 'neutral', transform: { target: 'es2020' } });
  await bundle.write({ file: join(dist, 'tracker.js'), format: 'esm', comments: { legal: false, annotation: false, jsdoc: false } });
  await bundle.close();
  const tsc = join(root, 'node_modules/.bin/tsc');
  await run(tsc, ['-p', join(folder, 'tsconfig.build.json'), '--outDir', dist]);

  const { version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const manifest = {
    ...{ name: '@marketing-platform/snippet', version, license, type: 'module' },
    description: 'Sends page views and events of a website to LeadPulse.',
    keywords: ['analytics', 'page views', 'events', 'tracking'],
    sideEffects: false,
    exports: { '.': { types: './tracker.d.ts', default: './tracker.js' }, './package.json': './package.json' },
  };
  await writeFile(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await copyFile(join(folder, 'README.md'), join(dist, 'README.md'));
  await copyFile(join(root, 'LICENSE'), join(dist, 'LICENSE'));
  return dist;
}

if (import.meta.main) process.stdout.write(`Wrote ${await buildPackage()}. Publish it with: npm publish libs/snippet/dist\n`);
