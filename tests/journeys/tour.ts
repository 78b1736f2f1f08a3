import { blocksOf } from '../documentation/page-blocks.ts';
import { runPage } from '../documentation/run-page.ts';
import type { Platform } from '../platform.ts';

/** Runs a section of the tour as a reader pastes it. */
async function tour(platform: Platform, section: string, permission: string, account: string) {
  const { key = '' } = await platform.client('--permission', permission, '--account', account);
  const blocks = blocksOf('docs/tour.md', section);
  if (blocks.length === 0) throw new Error(`The tour has no section ${section}.`);
  await runPage(blocks, { platform, env: { KEY: key, TEST_ADMIN_KEY: key } });
}

export const firstTour = (platform: Platform) => tour(platform, 'A first tour', 'read_write', 'tour');

export const keysAndTokens = (platform: Platform) => tour(platform, 'Keys and tokens', 'admin', 'keys');
