import { blocksOf } from '../documentation/page-blocks.ts';
import { runPage } from '../documentation/run-page.ts';
import type { Platform } from '../platform.ts';

/** The sections of the tour that are run, with the permission of the key that they need. */
export const tourSections = { 'A first tour': 'read_write', 'Keys and tokens': 'admin' } as const;

/** Runs a section of the tour as a reader pastes it. */
export async function tour(platform: Platform, section: keyof typeof tourSections) {
  const { key = '' } = await platform.client(
    '--permission',
    tourSections[section],
    '--account',
    section.replaceAll(' ', '-').toLowerCase(),
  );
  await runPage(blocksOf('docs/tour.md', section), { platform, env: { KEY: key, TEST_ADMIN_KEY: key } });
}
