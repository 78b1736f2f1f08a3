import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { test } from 'node:test';

const source = new URL('../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, source), 'utf8');
const tokens = read('theme/tokens.css');
const defined = new Set([...tokens.matchAll(/^ {2}(--[\w-]+):/gm)].map(([, name = '']) => name));

async function sheets(): Promise<string[]> {
  const found: string[] = [];
  for await (const file of glob('**/*.css', { cwd: source })) if (file !== 'theme/tokens.css') found.push(file);
  return found;
}

test('colors and font sizes are written in tokens.css and nowhere else', async () => {
  const literal = /#[0-9a-f]{3,8}\b|rgba?\(|hsla?\(|font-size: *\d/gi;
  const written = (await sheets())
    // An email is drawn as its readers see it.
    .filter((file) => !file.startsWith('email-editor/') && file !== 'forms/form-preview.module.css')
    .flatMap((file) => [...read(file).matchAll(literal)].map(([what]) => `${file}: ${what}`));
  assert.deepEqual(written, []);
});

test('every token that a page shows on /styles exists, and every name of tokens.css that a style uses', async () => {
  const pattern =
    /var\((--(?:text|space|radius|elevation|motion|ink|surface|accent|good|warn|bad|mark|chart|weight|line|hairline|paper)[\w-]*)/g;
  const used = (
    await Promise.all([...(await sheets()), 'styles/styles-page.tsx'].map(async (file) => ({ file, text: read(file) })))
  ).flatMap(({ file, text }) => [...text.matchAll(pattern)].map(([, name = '']) => ({ file, name })));
  assert.ok(used.length > 50);
  assert.deepEqual(
    used.filter(({ name }) => !defined.has(name)),
    [],
  );
});
