import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { modules, type ScriptName, scripts } from '../src/releases.ts';

/** A script for pages: one file without imports, for browsers of the last years. */
export async function buildScript(name: ScriptName): Promise<string> {
  const { source, version, title } = scripts[name];
  const bundle = await rolldown({ input: fileURLToPath(new URL(`../src/${source}`, import.meta.url)), transform: { target: 'es2020' } });
  const { output } = await bundle.generate({
    format: modules.includes(name) ? 'es' : 'iife',
    minify: true,
    comments: { annotation: false },
  });
  await bundle.close();
  const licence = `/*! ${title} ${version}; source: libs/snippet */`;
  return `${licence}\n${output[0].code.trim()}\n`;
}

if (import.meta.main)
  for (const name of ['mp', 'embed', 'frame', 'proof'] satisfies ScriptName[]) {
    const { folder, version } = scripts[name];
    await writeFile(new URL(`../releases/${folder}${version}.js`, import.meta.url), await buildScript(name));
  }
