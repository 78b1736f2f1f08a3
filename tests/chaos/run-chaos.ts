import { setTimeout as pause } from 'node:timers/promises';
import { serviceNames } from '@mp/contracts/services';
import { startNatsServers } from '@mp/test-kit/nats-servers';
import { createTcpProxy, mongoUrlThrough } from '@mp/test-kit/tcp-proxy';
import type { Json } from '../contract.ts';
import { startBalancer } from '../deploy/balancer.ts';
import { startMailSink } from '../mail-sink.ts';
import { startPlatform } from '../platform.ts';
import { startClients } from './clients.ts';
import { compare } from './compare.ts';
import { clockStepMs, faultsOf, inflict, nameOf } from './faults.ts';
import { emptyModel, levelOfSegment, type Model, orderedTag, receivedTypes, visitsOfSegment } from './model.ts';
import { startReceiver } from './receivers.ts';

type Test = { after: (cleanUp: () => Promise<void>) => void };

type Options = {
  seed: number;
  faults: number;
  /** How many processes each service behind the gateway has. The second is never harmed, and gets every other connection of the gateway. */
  replicas?: 1 | 2;
  clients?: number;
  /** After so many minutes, no further fault follows. */
  minutes?: number;
  report: (line: string) => void;
};

/**
 * Clients write to the whole platform while a seeded killer harms its processes, servers and connections; then everything is compared
 * with what was acknowledged. Throws at the first difference.
 */
export async function runChaos(t: Test, { seed, faults, replicas = 1, clients = 6, minutes = 24 * 60, report }: Options): Promise<Model> {
  const nats = await startNatsServers(t);
  const sink = await startMailSink(t);
  const [healthy, troubled] = [await startReceiver(t), await startReceiver(t)];
  const shared = serviceNames.filter((name) => replicas === 2 && name !== 'gateway');
  const balancers = await Promise.all(shared.map(async (name) => ({ name, balancer: await startBalancer(t) })));
  const through = async (url: string) => {
    const proxy = await createTcpProxy(t, url);
    await proxy.open();
    return proxy;
  };
  const natsProxy = await through(nats.url);
  let mongoProxy = natsProxy;
  const platform = await startPlatform(t, {
    ...{ ownInfra: true, metrics: true, clockStepMs },
    env: async ({ mongoUrl }) => {
      mongoProxy = await through(mongoUrl);
      return {
        MONGODB_URL: mongoUrlThrough(mongoProxy),
        NATS_URL: `nats://127.0.0.1:${natsProxy.port}`,
        SMTP_URL: sink.url,
        WEBHOOK_ALLOW_PRIVATE: 'true',
        TRUSTED_PROXIES: '127.0.0.1',
        ...Object.fromEntries(balancers.map(({ name, balancer }) => [`${name.toUpperCase()}_URL`, balancer.url])),
      };
    },
  });
  const secondUrls: string[] = [];
  for (const { name, balancer } of balancers) {
    const second = await platform.replica(name);
    for (const port of [Number(new URL(platform.urlOf(name)).port), second.port]) balancer.add(port);
    secondUrls.push(second.url);
  }
  const client = await platform.client('--permission', 'admin', '--account', `chaos-${seed}`);
  const made = async (path: string, body: object): Promise<Json> => {
    const { status, text, data } = await client.post(path, body);
    if (status !== 201) throw new Error(`${path}: ${text}`);
    return data;
  };
  for (const { url } of [healthy, troubled]) await made('/v2/webhooks', { url, events: receivedTypes });
  const level = await made('/v2/segments', {
    name: 'Level',
    definition: { field: 'attributes.level', op: 'gte', value: levelOfSegment },
  });
  const visits = await made('/v2/segments', {
    name: 'Visits',
    definition: { event: 'visited', count: { gte: visitsOfSegment } },
  });
  const workflow = await made('/v2/workflows', {
    name: 'Orders',
    trigger: { type: 'event', name: 'ordered' },
    entry: { policy: 'every_time' },
    steps: [
      { id: 'wait', type: 'delay', for: 'PT1S', next: 'tag' },
      { id: 'tag', type: 'add_tag', tag: orderedTag, next: 'thank' },
      { id: 'thank', type: 'track_event', event: 'thanked' },
    ],
  });
  const form = await made('/v2/contacts/forms', {
    name: 'Newsletter',
    fields: [{ field: 'email', type: 'email', label: { en: 'Email' }, required: true }],
    consents: [{ key: 'news', channel: 'email', topics: ['newsletter'], text: { en: 'Yes, send me the newsletter.' } }],
    ...{ sender: { email: 'news@example.com', name: 'News' }, captcha: 'off' },
    limits: { submissions_per_hour: 100_000, confirmations_per_hour: 100_000 },
  });

  const model = emptyModel();
  const running = startClients(client, model, { seed, count: clients, places: { segmentId: level.id, formId: form.id } });
  const endsAt = performance.now() + minutes * 60_000;
  for (const [index, fault] of faultsOf(seed, faults).entries()) {
    if (performance.now() > endsAt) break;
    report(`${index + 1} ${nameOf(fault)} after ${model.writes} writes`);
    troubled.trouble(index);
    await Promise.race([inflict({ platform, nats, proxies: { mongodb: mongoProxy, nats: natsProxy } }, fault), running.failed]);
    await Promise.race([pause(fault.pauseMs), running.failed]);
  }
  await running.stop();
  report(`${model.writes} writes were acknowledged, of ${model.people.length} people and ${model.campaigns.length} campaigns; comparing`);
  const ids = { level: level.id, visits: visits.id, workflow: workflow.id };
  await compare(model, { client, platform, secondUrls, sink, received: healthy.received, ids });
  report(`${sink.caught.length} emails and ${healthy.received.size} events of webhooks arrived`);
  return model;
}
