import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { serviceNames } from '@mp/contracts/services';
import { connect } from '@nats-io/transport-node';
import { startPlatform } from '../platform.ts';
import { dump, writeManifest } from './dump.ts';
import { startHooks } from './hooks.ts';
import { testOnlyKeys } from './keys.ts';
import { startSlowableSink } from './mail.ts';
import { patient } from './patient.ts';
import { prepareCampaigns } from './scenario/campaigns.ts';
import { prepareContacts } from './scenario/contacts.ts';
import { crashAtEveryStep, crashUnderLoad } from './scenario/crash.ts';
import { prepareSettings } from './scenario/settings.ts';
import { prepareVisits } from './scenario/visits.ts';
import { prepareDue, prepareSteps, prepareWorkflows } from './scenario/workflows.ts';
import { eventually, type World } from './scenario/world.ts';

const root = join(import.meta.dirname, '../..');
process.env.NODE_COMPILE_CACHE ??= join(root, '.data/compiled');
const [version = ''] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('Usage: node tests/upgrades/make-fixture.ts VERSION');
const folder = join(import.meta.dirname, version);
const namespace = 'fixture';

const cleanUps: (() => Promise<void>)[] = [];
const scope = { after: (cleanUp: () => Promise<void>) => void cleanUps.unshift(cleanUp) };
const say = (text: string) => console.log(`${new Date().toISOString().slice(11, 19)}  ${text}`);

try {
  await make();
} finally {
  for (const cleanUp of cleanUps) await cleanUp();
}

async function make() {
  const hooks = await startHooks(scope);
  const sink = await startSlowableSink(scope);
  const env = { ...testOnlyKeys, WEBHOOK_ALLOW_PRIVATE: 'true', SMTP_CONNECTIONS: '1' };
  // The services start one after another, because starting them all at once takes too long on a busy machine.
  const first = await startPlatform(scope, { env, ownInfra: true, namespace, services: [] });
  if (!process.argv.includes('--without-demo')) {
    say('demo');
    for (const name of serviceNames) await first.start(name);
    await demo(first.url, { ...first.infra.env, ...testOnlyKeys, NAMESPACE: namespace });
    for (const name of serviceNames) await first.stop(name);
  }
  // Again with a mail server, on the same MongoDB and NATS.
  process.env.MONGODB_URL = first.infra.mongoUrl;
  process.env.NATS_URL = first.infra.natsUrl;
  const platform = await startPlatform(scope, { env: { ...env, SMTP_URL: sink.url }, namespace, services: [] });
  for (const name of serviceNames) await platform.start(name);
  const manifest: World['manifest'] = { version };
  const impatient = await platform.client('--permission', 'admin', '--account', 'upgrades');
  const client = patient(impatient);
  const world: World = { platform, client, hooks, manifest };

  say('settings');
  await prepareSettings(world);
  say('contacts and segments');
  const ids = await prepareContacts(world);
  say('visits and webhooks');
  await prepareVisits(world);
  say('workflows');
  await prepareWorkflows(world, ids);
  await prepareSteps(world);
  say('campaigns');
  await prepareCampaigns(world, sink);
  await prepareDue(world);

  const crashing = { sink, impatient, signalServer: first.signalServer };
  say('crash under load');
  await crashUnderLoad(world, crashing);
  say('crash at every step');
  await crashAtEveryStep(world, crashing);
  manifest.emails = sink.caught.map(({ to, mail }) => ({ to, subject: mail.subject }));
  manifest.calls = hooks.calls;

  say('dump');
  await eventually(() =>
    connect({ servers: first.infra.natsUrl }).then(
      (connection) => connection.close().then(() => true),
      () => false,
    ),
  );
  const rewrite = (text: string) =>
    text.replaceAll(hooks.host, '{receiver}').replaceAll(platform.url, '{platform}').replaceAll(first.url, '{platform}');
  const source = { mongoUrl: first.infra.mongoUrl, natsUrl: first.infra.natsUrl, namespace };
  await dump(folder, source, rewrite);
  await writeManifest(folder, JSON.parse(rewrite(JSON.stringify(manifest))));
  say(`written to ${folder}`);
}

/** A small demo account, which uses the local mailbox. */
async function demo(url: string, env: Record<string, string>) {
  const args = ['scripts/demo.ts', '--url', url, '--contacts', '300', '--visits', '1500'];
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env }, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`The demo ended with ${code}.`);
}
