import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sitePages } from '../../scripts/documentation/site-pages.ts';
import { tourSections } from '../journeys/tour.ts';
import { blocksFor, blocksOf, waysThrough } from './page-blocks.ts';
import { stepsOf } from './page-steps.ts';

const root = join(import.meta.dirname, '../..');
const tour = 'docs/tour.md';
const block = (language: string, content: string) => ({ language, content, title: '', tab: undefined, line: 1 });

test('every block of code of the guides, the concepts and the tour is run, is shown as output, or says why not', () => {
  const pages = [...globSync('docs/{guides,concepts}/*.md', { cwd: root }), tour];
  assert.ok(pages.length > 25);
  for (const page of pages) {
    const blocks = blocksOf(page);
    for (const way of waysThrough(blocks)) assert.doesNotThrow(() => stepsOf(blocksFor(way, blocks)), page);
  }
});

test('a block that nobody would run is an error', () => {
  assert.throws(() => stepsOf([block('html', '<p>')]), /line 1.*html.*not run/);
  assert.throws(() => stepsOf([block('json', '{}')]), /line 1.*json.*not run/);
  assert.deepEqual(stepsOf([block('sh', 'echo {}'), block('json', '{}')]).steps, [
    { commands: 'echo {}', shown: [block('json', '{}')], line: 1 },
  ]);
});

test('every section of the tour that has code is run', () => {
  const headings = [...readFileSync(join(root, tour), 'utf8').matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
  assert.deepEqual(
    ['', ...headings].filter((heading) => blocksOf(tour, heading).length > 0),
    Object.keys(tourSections),
  );
});

test('the site omits the HTML comments of its pages', () => {
  const page = sitePages(root).find(({ path }) => path === 'guides/upgrading.md');
  assert.doesNotMatch(page?.text ?? '<!--', /<!--/);
});
