import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import type { Client } from '../../client.ts';
import type { Platform } from '../../platform.ts';
import type { MailSink } from '../mail.ts';
import { startImport, startJobs, startLoad } from './load.ts';
import { standAtEveryStep } from './workflows.ts';
import { eventually, from, ok, type World } from './world.ts';

/** `impatient` repeats nothing; `signalServer` signals MongoDB and NATS. */
type Crashing = { sink: MailSink; impatient: Client; signalServer: Platform['signalServer'] };

type Row = { _id: string; [field: string]: unknown };

/**
 * Kills the platform while clients write to it: first segments, so that events wait in the streams; then NATS stops, so that they wait in
 * the outboxes; then contacts, leadpulse, campaigns and both servers, in the middle of an import, a bulk job, an erasure and a campaign.
 */
export async function crashUnderLoad(world: World, { sink, impatient, signalServer }: Crashing) {
  const { platform, client, manifest } = world;
  sink.slow(true);
  const audience = { include: [manifest.segments.receivers] };
  const send = async (name: string) => {
    const { id } = await ok(client.post('/v2/campaigns', { name, subject: name, from, html: '<p>Hello</p>', audience }));
    await ok(client.post(`/v2/campaigns/${id}/send`));
    return id;
  };
  manifest.campaigns.sending = await send('Sending');
  const load = startLoad({ ...world, client: impatient });
  await eventually(async () => sink.caught.some(({ mail }) => mail.subject === 'Sending'));
  // Its audience waits for segments to apply what was written before.
  manifest.campaigns.freezing = await send('Freezing');
  await platform.stop('segments', 'SIGKILL');
  await sleep(2_000);
  await startJobs(world);
  await signalServer('nats', 'SIGSTOP');
  await sleep(1_500);
  const importId = await startImport(world);
  const mongo = await MongoClient.connect(platform.infra.mongoUrl);
  const imports = mongo.db(`${platform.namespace}_contacts`).collection<Row>('imports');
  await eventually(async () => Number((await imports.findOne({ _id: importId }))?.offset) > 0);
  await Promise.all([
    ...(['contacts', 'leadpulse', 'campaigns'] as const).map((name) => platform.stop(name, 'SIGKILL')),
    signalServer('mongodb', 'SIGKILL'),
    signalServer('nats', 'SIGKILL'),
  ]);
  await load.end();
  await mongo.close();
  manifest.load = load.written;
  sink.slow(false);
}

/** Lets runs reach every type of step while the services that they need are dead, and kills the rest. */
export async function crashAtEveryStep(world: World, { signalServer }: Crashing) {
  const { platform, hooks, manifest } = world;
  await standAtEveryStep(world, manifest.contacts.ids);
  await platform.stop('gateway', 'SIGKILL');
  const mongo = await MongoClient.connect(platform.infra.mongoUrl);
  const runs = mongo.db(`${platform.namespace}_workflows`).collection<Row>('runs');
  const standing = Object.entries<{ run: string }>(manifest.steps).filter(([name]) => name !== 'start_workflow' && name !== 'track_event');
  await eventually(async () => {
    const found = await runs.find({ _id: { $in: standing.map(([, { run }]) => run) } }).toArray();
    return hooks.calls.some(({ path }) => path === '/hanging') && found.every(({ step, waiting }) => step === 'step' && waiting !== null);
  });
  await mongo.close();
  await Promise.all([platform.stop('workflows', 'SIGKILL'), signalServer('mongodb', 'SIGKILL'), signalServer('nats', 'SIGKILL')]);
  manifest.crashed_at = new Date().toISOString();
}
