import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { serviceNames } from '@mp/contracts/services';
import { createClient } from '../client.ts';
import { imagePrefix } from '../deploy/container.ts';
import { startMailSink } from '../mail-sink.ts';
import { startPlatform } from '../platform.ts';
import { checkCampaigns, checkMessages, checkWebhooks } from './checks/campaigns.ts';
import { checkContacts, checkSegments, checkUndo, checkVisits, retryUnanswered } from './checks/contacts.ts';
import { checkDemo } from './checks/demo.ts';
import { checkSettings } from './checks/settings.ts';
import { checkDrained } from './checks/streams.ts';
import type { Upgraded } from './checks/upgraded.ts';
import { checkRuns, checkSteps, checkTriggers } from './checks/workflows.ts';
import { startHooks } from './hooks.ts';
import { testOnlyKeys } from './keys.ts';
import { loadFixture, readManifest } from './load-fixture.ts';
import { patient } from './patient.ts';

const versions = readdirSync(import.meta.dirname).filter((name) => /^\d+\.\d+\.\d+$/.test(name));
/** How long after the crash the platform starts again: what was due within ten minutes is due then. */
const outageMs = 15 * 60_000;

for (const version of versions) {
  // A fixture of today could hide that an old one cannot be loaded.
  for (const olderByDays of [0, 730]) {
    const age = olderByDays === 0 ? '' : `, made ${olderByDays} days earlier`;
    test(`the data of version ${version}${age}: everything is found, and what was interrupted is finished once`, {
      skip: imagePrefix && 'the services of images have the clock of the machine',
    }, async (t) => {
      const [hooks, sink] = [await startHooks(t), await startMailSink(t)];
      const receiver = hooks.host;
      const { crashed_at } = await readManifest(version, { receiver, platform: '', olderByDays });
      const env = {
        ...testOnlyKeys,
        ...{ SMTP_URL: sink.url, WEBHOOK_ALLOW_PRIVATE: 'true' },
        NODE_OPTIONS: `--import=${new URL('clock.ts', import.meta.url).href}`,
        CLOCK_OFFSET_MS: String(Date.parse(crashed_at) + outageMs - Date.now()),
      };
      // A MongoDB of its own, because its expiry is off.
      const platform = await startPlatform(t, { env, ownInfra: true, services: [] });
      const { namespace, infra, url } = platform;
      const target = { mongoUrl: infra.mongoUrl, natsUrl: infra.natsUrl, namespace, receiver, platform: url, olderByDays };
      await loadFixture(version, target);
      const manifest = await readManifest(version, target);
      for (const name of serviceNames) await platform.start(name);
      const client = patient(createClient(url, manifest.settings.keys.admin));
      const upgraded: Upgraded = { platform, client, hooks, sink, manifest };
      assert.equal(manifest.version, version);

      const check = (title: string, checks: (one: Upgraded) => Promise<void>) => t.test(title, () => checks(upgraded));
      await check('requests without a response can be repeated', retryUnanswered);
      await check('keys, users, accounts and settings are kept', checkSettings);
      await check('contacts, jobs and erasures', checkContacts);
      await check('segments', checkSegments);
      await check('visits and reports', checkVisits);
      await check('campaigns', checkCampaigns);
      await check('messages', checkMessages);
      await check('webhooks', checkWebhooks);
      await check('triggers', checkTriggers);
      await check('runs at every step', checkSteps);
      await check('runs that wait', checkRuns);
      await check('what can be undone', checkUndo);
      await check('the demo', checkDemo);
      await check('nothing waits, and nothing was set aside', checkDrained);
    });
  }
}
