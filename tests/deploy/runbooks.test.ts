import assert from 'node:assert/strict';
import { glob, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { dashboards } from '../../deploy/k8s/dashboards.ts';
import { alertCases } from './alert-cases.ts';
import { root } from './chart.ts';

const folder = join(root, 'docs/runbooks');
const sections = ['Symptom', 'Meaning', 'Cause', 'Fix', 'Confirm'];

/** Everything that a service can log, and the routes that the access log names. */
async function logged(): Promise<string> {
  const texts = [readFile(join(root, 'services/gateway/config/routes.json'), 'utf8')];
  for await (const path of glob(['services/*/src/**/*.ts', 'libs/*/src/**/*.ts'], { cwd: root }))
    if (!path.endsWith('.test.ts')) texts.push(readFile(join(root, path), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}

test('each alert has a runbook, whose dashboard panel and log line exist', async () => {
  const pages = (await readdir(folder)).map((name) => name.replace(/\.md$/, ''));
  assert.deepEqual(pages.toSorted(), alertCases.map(({ alert }) => alert).toSorted());
  const source = await logged();
  for (const page of pages) {
    const text = await readFile(join(folder, `${page}.md`), 'utf8');
    assert.deepEqual(
      [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading),
      sections,
      page,
    );
    const [, title, panel] = /Dashboard \*\*(.+?)\*\*, panel \*\*(.+?)\*\*/.exec(text) ?? [];
    const dashboard = dashboards.find((one) => one.title === title);
    assert.ok(
      dashboard?.panels.some((one) => one.title === panel),
      `${page}: ${title} has no panel ${panel}`,
    );
    const line = /Search the log of .+? for `(.+?)`/.exec(text)?.[1];
    // A field of a line, such as "code":"QUOTA_EXCEEDED", is searched for with its name.
    const search = line?.replace(/^"\w+":"(.+)"$/, '$1');
    assert.ok(search && source.includes(search), `${page}: no service logs ${line}`);
    for (const [, link = ''] of text.matchAll(/\]\((\w+)\.md\)/g)) assert.ok(pages.includes(link), `${page} links to ${link}`);
  }
});
