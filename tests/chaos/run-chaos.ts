import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { serviceNames } from '@mp/contracts/services';
import { startNatsServers } from '@mp/test-kit/nats-servers';
import { createTcpProxy, mongoUrlThrough } from '@mp/test-kit/tcp-proxy';
import type { Json } from '../contract.ts';
import { startMailSink } from '../mail-sink.ts';
import { startPlatform } from '../platform.ts';
import { startClients } from './clients.ts';
import { compare } from './compare.ts';
import { clockStepMs, faultsOf, inflict, nameOf } from './faults.ts';
import { emptyModel, levelOfSegment, type Model, orderedTag, visitsOfSegment } from './model.ts';

type Test = { after: (cleanUp: () => Promise<void>) => void };

type Options = {
  seed: number;
  faults: number;
  /** How many replicas each service behind the gateway has; the second is never harmed. */
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
  const receiver = await startReceiver(t);
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
      };
    },
  });
  if (replicas === 2) for (const name of serviceNames.filter((one) => one !== 'gateway')) await platform.replica(name);
  const client = await platform.client('--permission', 'admin', '--account', `chaos-${seed}`);
  const made = async (path: string, body: object): Promise<Json> => {
    const { status, text, data } = await client.post(path, body);
    if (status !== 201) throw new Error(`${path}: ${text}`);
    return data;
  };
  await made('/v2/webhooks', { url: receiver.url, events: ['contact.created'] });
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
  });

  const model = emptyModel();
  const running = startClients(client, model, { seed, count: clients, places: { segmentId: level.id, formId: form.id } });
  const endsAt = performance.now() + minutes * 60_000;
  for (const [index, fault] of faultsOf(seed, faults).entries()) {
    if (performance.now() > endsAt) break;
    report(`${index + 1}/${faults} ${nameOf(fault)} after ${model.writes} writes`);
    await Promise.race([inflict({ platform, nats, proxies: { mongodb: mongoProxy, nats: natsProxy } }, fault), running.failed]);
    await Promise.race([pause(fault.pauseMs), running.failed]);
  }
  await running.stop();
  report(`${model.writes} writes were acknowledged, of ${model.people.length} people; comparing`);
  const ids = { level: level.id, visits: visits.id, workflow: workflow.id };
  await compare(model, { client, platform, sink, received: receiver.received, ids });
  return model;
}

/** Keeps, for each event that it gets, the contact that was created. */
async function startReceiver(t: Test) {
  const received = new Map<string, string>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    received.set(String(request.headers['webhook-id']), JSON.parse(body).data.id);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}
