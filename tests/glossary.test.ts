import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { test } from 'node:test';

const root = new URL('../', import.meta.url).pathname;

/** The words of the glossary's last column that carry the mark, with the term to use instead. † is for texts, ‡ for names in the code. */
async function refusedWords(mark: '†' | '‡'): Promise<{ word: string; term: string }[]> {
  const rows = (await readFile(`${root}docs/glossary.md`, 'utf8')).matchAll(/^\| ([^|]+) \|[^|]*\| ([^|]+) \|$/gm);
  return [...rows].flatMap(([, term = '', refused = '']) =>
    [...refused.matchAll(/([^,†‡]+)([†‡]+)/g)]
      .filter(([, , marks = '']) => marks.includes(mark))
      .map(([, word = '']) => ({ word: word.trim(), term: term.trim() })),
  );
}

/** Texts for people in a source file: literals with a space in them, and the text between JSX tags. Comments are skipped. */
function textsOf(source: string, isJsx: boolean): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1');
  const literals = code.match(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\\n]|\\.)*`/g) ?? [];
  const jsx = isJsx ? [...code.matchAll(/>([^<>{}]+)</g)].map(([, text = '']) => text) : [];
  return [...literals.map((literal) => literal.slice(1, -1).replaceAll(/\$\{[^}]*\}/g, '…')), ...jsx].filter((text) =>
    /\S\s+\S/.test(text),
  );
}

/** Every description and summary of a JSON document. */
function descriptionsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'string' ? (name === 'description' || name === 'summary' ? [member] : []) : descriptionsOf(member),
  );
}

/** Files of translations begin with English; the glossary says nothing about other languages. */
const englishOf = (file: string, source: string) => (file.endsWith('-texts.ts') ? (source.split(/\n {2}de: \{/)[0] ?? source) : source);

async function sourceTexts(pattern: string): Promise<[string, string][]> {
  const texts: [string, string][] = [];
  for await (const file of glob(pattern, { cwd: root, exclude: (name) => ['node_modules', 'test', 'test-kit'].includes(name) })) {
    if (/\.test\.tsx?$|schema\.d\.ts$/.test(file)) continue;
    const source = englishOf(file, await readFile(root + file, 'utf8'));
    for (const text of textsOf(source, file.endsWith('x'))) texts.push([file, text]);
  }
  return texts;
}

/** Titles of tests, except those in a browser, which name what they press. */
async function testTitles(): Promise<[string, string][]> {
  const titles: [string, string][] = [];
  const pattern = '{services,libs,tests,scripts}/**/*.test.ts';
  for await (const file of glob(pattern, { cwd: root, exclude: (name) => name === 'node_modules' })) {
    const found = (await readFile(root + file, 'utf8')).matchAll(/\btest\(\s*(?:'((?:[^'\\]|\\.)*)'|"([^"]*)"|`([^`]*)`)/g);
    for (const [, single, double, template] of found) titles.push([file, single ?? double ?? template ?? '']);
  }
  return titles;
}

const places: [string, () => Promise<[string, string][]>][] = [
  [
    'the OpenAPI document',
    async () => {
      const document: unknown = JSON.parse(await readFile(`${root}services/gateway/config/openapi.json`, 'utf8'));
      return descriptionsOf(document).map((text) => ['openapi.json', text]);
    },
  ],
  ['error messages and log lines', () => sourceTexts('{services,libs}/*/src/**/*.ts')],
  ['the dashboard', () => sourceTexts('dashboard/src/**/*.{ts,tsx}')],
  ['titles of tests', testTitles],
];

for (const [place, read] of places) {
  test(`texts use the words of the glossary: ${place}`, async () => {
    const words = await refusedWords('†');
    assert.ok(words.length > 10, 'the glossary marks words with †');
    const faults = (await read()).flatMap(([file, text]) =>
      words
        .filter(({ word }) =>
          new RegExp(`(?<![\\w-])${word.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')}(?![\\w-])`, 'i').test(text.replaceAll(/`[^`]*`/g, '')),
        )
        .map(({ word, term }) => `${file}: "${word}" is "${term}" in ${text.slice(0, 120)}`),
    );
    assert.deepEqual([...new Set(faults)], []);
  });
}

test('names in the code, and of its files, use the words of the glossary', async () => {
  const words = await refusedWords('‡');
  assert.ok(words.length > 3, 'the glossary marks words with ‡');
  const faults: string[] = [];
  const pattern = '{services,libs,dashboard,tests,scripts,bench,deploy}/**/*.{ts,tsx}';
  for await (const file of glob(pattern, { cwd: root, exclude: (name) => ['node_modules', 'generated'].includes(name) })) {
    const declared = (await readFile(root + file, 'utf8')).matchAll(/\b(?:const|let|function\*?|type|class)\s+(\w+)/g);
    for (const name of [basename(file), ...[...declared].map(([, name = '']) => name)]) {
      const parts = name.split(/[-_.]|(?=[A-Z])/).map((part) => part.toLowerCase());
      for (const { word, term } of words) if (parts.includes(word)) faults.push(`${file}: "${word}" is "${term}" in ${name}`);
    }
  }
  assert.deepEqual(faults, []);
});

test('the glossary has every concept once', async () => {
  const terms = [...(await readFile(`${root}docs/glossary.md`, 'utf8')).matchAll(/^\| ([^|]+) \|/gm)].map(([, term = '']) => term.trim());
  const own = terms.filter((term) => term !== 'term' && !/^-+$/.test(term));
  assert.ok(own.length >= 50, `${own.length} terms`);
  assert.deepEqual(
    own.filter((term, index) => own.indexOf(term) !== index),
    [],
  );
});
