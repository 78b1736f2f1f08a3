import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import packageJson from '../package.json' with { type: 'json' };

/** The script for pages: one file without imports, for browsers of the last years. */
export async function buildSnippet(): Promise<string> {
  const bundle = await rolldown({ input: fileURLToPath(new URL('../src/page/mp.ts', import.meta.url)), transform: { target: 'es2020' } });
  const { output } = await bundle.generate({ format: 'iife', minify: true, comments: { annotation: false } });
  await bundle.close();
  const licence = `/*! LeadPulse ${packageJson.version}; source: libs/snippet */`;
  return `${licence}\n${output[0].code.trim()}\n`;
}

if (import.meta.main) await writeFile(new URL(`../releases/${packageJson.version}.js`, import.meta.url), await buildSnippet());
