import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { glob, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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

const textOf = (path: string) => readFile(join(root, path), 'utf8');

test('the manual and the runbooks name only commands, programs, metrics, routes, files and sections that exist', async () => {
  const pages: string[] = [];
  for await (const path of glob('docs/{operations*,runbooks/*}.md', { cwd: root })) pages.push(path);
  assert.ok(pages.length > 30);
  const { scripts } = JSON.parse(await textOf('package.json'));
  const metrics = new Set([...(await textOf('docs/metrics.md')).matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name));
  const routes = await textOf('services/gateway/config/routes.json');
  const missing: string[] = [];
  const counts = { script: 0, program: 0, metric: 0, route: 0, link: 0 };
  for (const page of pages) {
    const text = await textOf(page);
    const check = (kind: keyof typeof counts, name: string, exists: boolean) => {
      counts[kind] += 1;
      if (!exists) missing.push(`${page}: ${kind} ${name}`);
    };
    for (const [, name = ''] of text.matchAll(/npm run (?:-s )?([\w:-]+)/g)) check('script', name, name in scripts);
    for (const [, service = '', path = ''] of text.matchAll(
      /(?:compose exec (?:-T )?|deploy\/marketing-platform-)([a-z]+)\b.* (src\/[\w/-]+\.ts)/g,
    ))
      check('program', `${service} ${path}`, existsSync(join(root, 'services', service, path)));
    // Prometheus has those of Kubernetes and Node.js from elsewhere.
    for (const [, name = ''] of text.matchAll(/`((?!kube_|nodejs_)[a-z]+_[a-z_]+)\{[^`]*\}`/g)) check('metric', name, metrics.has(name));
    for (const [, , path = ''] of text.matchAll(/`(GET|POST|PUT|DELETE) (\/v2\/[^\s`?]+)(?:\?[^\s`]*)?`/g))
      check('route', path, routes.includes(`"${path}"`));
    for (const [, file = '', section = ''] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
      const target = file === '' ? page : join(dirname(page), file);
      const headings = existsSync(join(root, target)) && section !== '' ? headingsOf(await textOf(target)) : [section];
      check('link', `${file}#${section}`, existsSync(join(root, target)) && headings.includes(section));
    }
  }
  assert.deepEqual(missing, []);
  for (const [kind, count] of Object.entries(counts)) assert.ok(count > 4, `${count} of kind ${kind}`);
});

/** The headings of a page as the fragments of links. */
const headingsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
