import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { sections } from '../../docs/.vitepress/sections.ts';
import { guidesInOneFile } from '../../scripts/documentation/guides-in-one-file.ts';
import { sitePages } from '../../scripts/documentation/site-pages.ts';

const root = join(import.meta.dirname, '../..');
const pages = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md', '{libs,services,deploy,dashboard}/**/README.md'], {
  cwd: root,
  exclude: (name) => name === 'node_modules' || name === '.vitepress' || name === 'dist',
});
const withoutCode = (text: string) => text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, (code) => 'x'.repeat(code.length));

/** As code hosts and the site make it of a heading. */
const anchorOf = (heading: string) =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

const anchors = (file: string) =>
  [
    ...readFileSync(file, 'utf8')
      .replaceAll(/^```[\s\S]*?^```/gm, '')
      .matchAll(/^#+ (.+)$/gm),
  ].map(([, heading = '']) => anchorOf(heading));

test('every link between pages leads to a file, and to a heading that it has', () => {
  const broken = pages.flatMap((page) =>
    [...withoutCode(readFileSync(join(root, page), 'utf8')).matchAll(/\]\((?!\w+:|\/)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(
      ([, target = '', anchor]) => {
        const file = target === '' ? join(root, page) : join(root, dirname(page), target);
        if (!existsSync(file)) return [`${page}: ${target}`];
        return anchor !== undefined && file.endsWith('.md') && !anchors(file).includes(anchor) ? [`${page}: ${target}#${anchor}`] : [];
      },
    ),
  );
  assert.ok(pages.length > 150);
  assert.deepEqual(broken, []);
});

test('every entry of the menu is a page, and every guide and concept is in the menu', () => {
  const paths = sitePages(root).map(({ path }) => `/${path.replace(/(?:index)?\.md$/, '')}`);
  const links = sections.flatMap(({ items }) => items.map(({ link }) => link));
  assert.deepEqual(
    links.filter((link) => !paths.includes(link)),
    [],
  );
  assert.deepEqual(
    paths.filter((path) => /^\/(?:guides|concepts)\//.test(path) && !links.includes(path)),
    [],
  );
});

test('links of the site go to its pages, and those to other files keep their text', () => {
  const page = sitePages(root).find(({ path }) => path === 'guides/webhooks.md');
  assert.match(page?.text ?? '', /\[Before you start\]\(\/guides\/\)/);
  assert.match(page?.text ?? '', /\[workflows\]\(\/guides\/workflows\)/);
  const examples = sitePages(root).find(({ path }) => path === 'examples/index.md');
  assert.match(examples?.text ?? '', /\[shop\]\(\/examples\/shop\) \| \[A shop's server\]\(\/guides\/shop\)/);
  assert.match(sitePages(root).find(({ path }) => path === 'examples/shop.md')?.text ?? '', /^# shop\.ts\n[\s\S]*```ts\nimport /);
  const contributing = sitePages(root).find(({ path }) => path === 'contributing.md');
  assert.doesNotMatch(withoutCode(contributing?.text ?? ''), /\]\((?!https?:|\/|#)/);
});

test('the file for language models has every guide and every concept', () => {
  const site = sitePages(root);
  const file = guidesInOneFile(site);
  const wanted = site.filter(({ path }) => /^(?:guides|concepts)\//.test(path));
  assert.ok(wanted.length > 25);
  assert.deepEqual(
    wanted.filter(({ text }) => !file.includes(`${text.split('\n')[0]}\n`)).map(({ path }) => path),
    [],
  );
});

test('every link of the file for language models leads to a page of the site', () => {
  const site = sitePages(root);
  const addresses = new Set(site.map(({ path }) => `/docs/${path.replace(/(?:index)?\.md$/, '')}`));
  const links = [...withoutCode(guidesInOneFile(site)).matchAll(/\]\((?!\w+:|#)([^)#\s]*)/g)].map(([, link = '']) => link);
  assert.ok(links.length > 50);
  assert.deepEqual(
    links.filter((link) => !addresses.has(link) && !link.startsWith('/docs/screenshots/')),
    [],
  );
});
