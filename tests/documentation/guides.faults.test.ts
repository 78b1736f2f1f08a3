import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startPlatform } from '../platform.ts';
import { pythonEnvironment } from '../python-environment.ts';
import { blocksOf, waysThrough } from './page-blocks.ts';
import { recordedSystems } from './recorded-systems.ts';
import { runPage } from './run-page.ts';

const root = join(import.meta.dirname, '../..');
const preparation = 'docs/guides/README.md';
const pages = globSync('docs/{guides,concepts}/*.md', { cwd: root }).sort();
/** Runs the pages whose name contains one of these, such as GUIDE=shop,signup. */
const only = (process.env.GUIDE ?? '').split(',');

test('every block of code of the guides and concepts works, and prints what the page shows', async (t) => {
  const platform = await startPlatform(t, { env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const systems = await recordedSystems(t);
  const python = await pythonEnvironment(t, [], { sdk: true });
  const setUp = blocksOf(preparation).filter(({ language }) => language === 'sh');
  for (const page of pages.filter((name) => only.some((part) => name.includes(part)))) {
    const blocks = blocksOf(page);
    for (const [number, way] of waysThrough(blocks).entries())
      await t.test(`${page}${way && ` in ${way}`}`, async (ours) => {
        if (way === 'Python' && python.missing) return ours.skip(python.missing);
        const account = `${page.replaceAll(/\W/g, '-')}-${number}`;
        const { key: admin = '' } = await platform.client('--permission', 'admin', '--account', account);
        const { key = '' } = await platform.client('--permission', 'read_write', '--account', account);
        const env = { TEST_ADMIN_KEY: admin, TEST_KEY: key, ...(!python.missing && { TEST_PYTHON: python.python }), ...systems };
        await runPage(blocks, { platform, way, env, setUp: page === preparation || page.includes('quickstart') ? [] : setUp });
      });
  }
});
