import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@mp/test-kit/eventually';
import fc from 'fast-check';
import type { Client } from '../client.ts';
import type { Json } from '../contract.ts';
import { isOfLevel, living, type Model, type Person } from './model.ts';

type Act = 'create' | 'raise' | 'visit' | 'order' | 'delete' | 'submit' | 'campaign';

/** Campaigns are rare, because each is sent to everyone who is in the segment by then. */
const acts: readonly [Act, number][] = [
  ['create', 15],
  ['raise', 18],
  ['visit', 18],
  ['order', 9],
  ['delete', 3],
  ['submit', 6],
  ['campaign', 1],
];
/** After so many acts, the plan of a client begins again, with other people. */
const planLength = 5_000;
const act = fc.oneof(...acts.map(([name, weight]) => ({ weight, arbitrary: fc.constant(name) })));

export type Places = { segmentId: string; formId: string };

/**
 * Clients as a customer would write them: each repeats a write with the same Idempotency-Key until it has an answer, and notes what was
 * acknowledged. The seed decides what they do, not when.
 */
export function startClients(client: Client, model: Model, { seed, count, places }: { seed: number; count: number; places: Places }) {
  let over = false;

  async function write(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<Json> {
    model.writes += 1;
    const retry = { 'idempotency-key': `chaos-${seed}-${model.writes}` };
    const response = await eventually(async () => {
      const one = await client.call(method, path, body, retry).catch(() => undefined);
      if (one && one.status < 500 && one.error?.code !== 'IDEMPOTENCY_IN_PROGRESS' && one.status !== 429) return one;
      await pause(200);
      return undefined;
    });
    if (response.status >= 300) throw new Error(`${method} ${path} returned ${response.status}: ${response.text}`);
    return response.data;
  }

  const track = (event: string, { externalId, email }: Person, number: number) =>
    write('POST', '/v2/leadpulse/track', {
      ...{ event, external_id: externalId, visitor_id: `visitor-${externalId}`, message_id: `${event}-${externalId}-${number}`, email },
    });

  let attempts = 0;
  /** Each attempt comes from a network of its own, because a form takes only so many of one network in an hour. */
  const fromNewNetwork = () => {
    attempts += 1;
    return { 'x-forwarded-for': `${11 + (attempts >> 16)}.${(attempts >> 8) & 255}.${attempts & 255}.7` };
  };

  const submit = async (number: string) => {
    const email = `form-${number}@example.com`;
    const body = { fields: { email }, consents: ['news'], submission_id: `submission-${number}` };
    const response = await eventually(async () => {
      const one = await client.call('POST', `/f/${places.formId}/submissions`, body, fromNewNetwork()).catch(() => undefined);
      if (one && one.status < 500) return one;
      await pause(2_000);
      return undefined;
    });
    // A form takes five attempts of one address, and any of those without a response may have been stored.
    if (response.status === 429) model.doubtful.add(email);
    else if (response.status < 300) model.submitted.add(email);
    else throw new Error(`The form returned ${response.status}: ${response.text}`);
  };

  const send = async (number: string) => {
    const subject = `News ${number}`;
    const { id } = await write('POST', '/v2/campaigns', {
      ...{ name: subject, subject, from: { email: 'news@example.com', name: 'News' }, html: '<p>Hello</p>' },
      audience: { include: [places.segmentId] },
    });
    // Whatever was acknowledged before the send counts for the audience.
    const members = living(model).filter(isOfLevel);
    await write('POST', `/v2/campaigns/${id}/send`, {});
    model.campaigns.push({ id: String(id), subject, members });
  };

  async function perform(what: Act, own: Person[], number: string) {
    const alive = own.filter(({ id }) => id !== undefined);
    const person = alive[Number(number.split('-')[1]) % alive.length];
    if (what === 'create' || !person) {
      const fresh: Person = { externalId: `p-${number}`, email: `p-${number}@example.com`, id: undefined, level: 0, visits: 0, orders: 0 };
      const { id } = await write('POST', '/v2/contacts', { external_id: fresh.externalId, email: fresh.email, attributes: { level: 0 } });
      const created = { ...fresh, id: String(id) };
      model.created.set(created.id, created.email);
      model.people.push(created);
      own.push(created);
    } else if (what === 'raise') {
      await write('PUT', `/v2/contacts/${person.id}`, { attributes: { level: person.level + 1 } });
      person.level += 1;
    } else if (what === 'visit') {
      await track('visited', person, person.visits + 1);
      person.visits += 1;
    } else if (what === 'order') {
      await track('ordered', person, person.orders + 1);
      person.orders += 1;
    } else if (what === 'delete' && alive.length > 5 && person.visits + person.orders === 0) {
      await write('DELETE', `/v2/contacts/${person.id}`);
      person.id = undefined;
    } else if (what === 'submit') {
      await submit(number);
    } else if (what === 'campaign') {
      await send(number);
    }
  }

  const running = Array.from({ length: count }, async (_, index) => {
    const plan = fc
      .sample(fc.array(act, { minLength: planLength, maxLength: planLength }), { seed: seed * 1_000 + index, numRuns: 1 })
      .flat();
    const own: Person[] = [];
    for (let step = 0; !over; step += 1) {
      await perform(plan[step % planLength] ?? 'create', own, `${index}-${step}`);
      await pause(20);
    }
  });
  const all = Promise.all(running);

  return {
    /** Resolves when every client has an answer to its last write. A last campaign finds members however few writes there were. */
    async stop() {
      over = true;
      await all;
      await send('at the end');
    },
    /** Rejects when a client fails, and never resolves: in a race with a fault, only a failure ends it. */
    failed: new Promise<never>((_, reject) => void all.catch(reject)),
  };
}
