import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** As GitHub makes the anchor of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');

const sections = new Map(
  read('bench/RESULTS.md')
    .split(/^(?=##+ )/m)
    .map((section) => [anchorOf(/^##+ (.*)/.exec(section)?.[1] ?? ''), section]),
);

test('every measured number in the pages for operators and of growth is that of the last benchmark', () => {
  const pages = [
    'operations-capacity',
    'scaling',
    'decisions/0373-cells',
    'decisions/0409-proof-by-the-whole-platform',
    'runbooks/PlatformConsumerBehind',
  ];
  const page = pages.map((name) => read(`docs/${name}.md`)).join('\n');
  const cited = [...page.matchAll(/\[([\d.,]+)\]\((?:\.\.\/)+bench\/RESULTS\.md#([\w-]+)\)/g)];
  assert.ok(cited.length > 40, `${cited.length} figures`);
  const outdated = cited.filter(([, figure = '', anchor = '']) => {
    const alone = new RegExp(`(?<![\\d.,])${figure.replaceAll('.', '\\.')}(?![.,]?\\d)`);
    return !alone.test(sections.get(anchor) ?? '');
  });
  assert.deepEqual(
    outdated.map(([link]) => link),
    [],
    'compare them with bench/RESULTS.md',
  );
  const unlinked = page.split('\n').filter((line) => line.includes('(measured') && !line.includes('RESULTS.md#'));
  assert.deepEqual(unlinked, [], 'a measured figure links the section of its benchmark');
});
