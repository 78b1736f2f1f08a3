import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { build } from 'vitepress';
import { stringify } from 'yaml';
import { llmsFullTxt } from '../services/gateway/src/documentation/llms-txt.ts';
import type { Described } from '../services/gateway/src/documentation/markdown.ts';
import { postmanCollection } from '../services/gateway/src/documentation/postman-collection.ts';
import { withoutTypeTitles } from '../services/gateway/src/documentation/type-titles.ts';
import { guidesInOneFile } from './documentation/guides-in-one-file.ts';
import { linkedFromRoot, sitePages } from './documentation/site-pages.ts';
import { readOptions } from './read-options.ts';

const usage = `npm run docs
Builds the documentation site from docs/ into docs/.vitepress/dist, from where the gateway serves it under /docs. A link that
leads nowhere fails the build.`;

readOptions(usage, {});
const root = join(import.meta.dirname, '..');
const site = join(root, 'docs');
const pages = join(site, '.vitepress', 'pages');
const dist = join(site, '.vitepress', 'dist');

const all = sitePages(root);
rmSync(pages, { recursive: true, force: true });
for (const { path, text } of all) {
  mkdirSync(dirname(join(pages, path)), { recursive: true });
  writeFileSync(join(pages, path), text);
}
cpSync(join(site, 'screenshots'), join(pages, 'public', 'screenshots'), { recursive: true, filter: isShown });
await build(site);
const openapi: Described = JSON.parse(readFileSync(join(root, 'services', 'gateway', 'config', 'openapi.json'), 'utf8'));
writeFileSync(join(dist, 'openapi.yaml'), stringify(withoutTypeTitles(openapi), { aliasDuplicateObjects: false, lineWidth: 0 }));
writeFileSync(join(dist, 'postman-collection.json'), JSON.stringify(postmanCollection(openapi)));
writeFileSync(join(dist, 'llms-full.txt'), llmsFullTxt(openapi, guidesInOneFile(all)));
// For readers without a browser: /docs/guides/quickstart.md beside /docs/guides/quickstart.
for (const { path, text } of all) writeFileSync(join(dist, path), linkedFromRoot(text));
await compress();

/** Only screenshots that a page shows are part of the site. */
function isShown(file: string): boolean {
  return !file.endsWith('.png') || all.some(({ text }) => text.includes(`/screenshots/${file.split('/').at(-1)}`));
}

/** Writes a .gz beside each text file, so that the gateway need not compress responses. */
async function compress(): Promise<void> {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(?:html|js|css|svg|json|yaml|txt)$/.test(file),
  );
  const zip = promisify(gzip);
  for (const file of files.map((name) => join(dist, name))) writeFileSync(`${file}.gz`, await zip(readFileSync(file), { level: 9 }));
}
