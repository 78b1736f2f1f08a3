import { chmod, copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const folder = join(import.meta.dirname, '..');
const root = join(folder, '..', '..');

/** The name, version and licence text of each package whose code is in the bundle. */
async function noticesFor(modules: ReadonlySet<string>): Promise<string> {
  const folders = new Set([...modules].flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
  const notices = [...folders].sort().map(async (at) => {
    const { name, version, license } = JSON.parse(await readFile(join(at, 'package.json'), 'utf8'));
    const file = (await readdir(at)).find((entry) => /^licen[sc]e/i.test(entry));
    return `${name} ${version} (${license})\n\n${file ? await readFile(join(at, file), 'utf8') : ''}`;
  });
  return (await Promise.all(notices)).join(`\n${'-'.repeat(80)}\n\n`);
}

/** Writes the package to publish into `dist/`: everything is bundled, so it has no dependencies and installs in a moment. */
export async function buildCli(dist = join(folder, 'dist')): Promise<string> {
  await rm(dist, { recursive: true, force: true });
  const bundle = await rolldown({ input: { mp: join(folder, 'src/mp.ts') }, platform: 'node' });
  const { output } = await bundle.write({ dir: dist, format: 'esm', chunkFileNames: '[name].js', minify: true });
  await bundle.close();
  await chmod(join(dist, 'mp.js'), 0o755);
  const modules = new Set(output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : [])));
  await writeFile(join(dist, 'THIRD-PARTY-NOTICES.txt'), await noticesFor(modules));

  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const manifest = {
    ...{ name, version, license, type: 'module' },
    description: 'The command line of the marketing platform, and its MCP server.',
    engines: { node: '>=20.12' },
    bin: { mp: './mp.js' },
  };
  await writeFile(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await copyFile(join(folder, 'README.md'), join(dist, 'README.md'));
  await copyFile(join(root, 'LICENSE'), join(dist, 'LICENSE'));
  return dist;
}

if (import.meta.main) process.stdout.write(`Wrote ${await buildCli()}. Publish it with: npm publish libs/cli/dist\n`);
