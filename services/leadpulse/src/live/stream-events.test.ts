import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { contextHeader, signContext } from '@mp/contracts/context';
import { newId } from '@mp/ids';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { contextKeys, testParts, testService } from '@mp/test-kit/test-parts';
import { trackAndCount, view } from '../../test/tracking.ts';
import { buildApp } from '../app.ts';

type Message = { id: string; data: { events: { event: string; visitor: string; page: { path: string } | null }[]; more: number } };

const path = '/v2/leadpulse/events/stream';

/** The messages in the text of a stream, and its last id. */
function parsed(text: string) {
  const field = (block: string, name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
  const blocks = text.split('\n\n');
  const messages = blocks.flatMap((block): Message[] => {
    const data = field(block, 'data');
    return data === undefined ? [] : [{ id: field(block, 'id') ?? '', data: JSON.parse(data) }];
  });
  return { messages, lastId: blocks.map((block) => field(block, 'id')).findLast((id) => id !== undefined) ?? '' };
}

async function openStream(t: TestContext, origin: string, { accountId }: Client, { query = '', headers = {} } = {}) {
  const url = path + query;
  const context = {
    ...{ account_id: accountId, principal_id: newId('key'), permission: 'read_only' as const, scopes: null },
    ...{ request_id: newId('request'), expires_at: Date.now() + 60_000 },
  };
  const leaving = new AbortController();
  t.after(() => leaving.abort());
  const response = await fetch(origin + url, {
    headers: { [contextHeader]: signContext(contextKeys, context, 'GET', url), accept: 'text/event-stream', ...headers },
    signal: leaving.signal,
  });
  const state = { text: '', ended: false, status: response.status, leave: () => leaving.abort() };
  const read = async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) state.text += chunk;
  };
  void read()
    .catch(() => undefined)
    .finally(() => {
      state.ended = true;
    });
  if (response.ok) await eventually(async () => state.text.includes('id: '));
  return state;
}

const pathsOf = (text: string) => parsed(text).messages.flatMap(({ data }) => data.events.map(({ page }) => page?.path));
const now = () => new Date().toISOString();

test('GET /v2/leadpulse/events/stream', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'leadpulse:read', url: () => path });

  await t.test('has each event of the account once, as it is counted, by its filters', async (t) => {
    const [account, other] = [testClient(app), testClient(app)];
    const [all, german, robots, orders] = await Promise.all(
      ['', '?country=DE', '?include=bots', '?event=order&page=/b'].map((query) => openStream(t, origin, account, { query })),
    );
    assert.ok(all && german && robots && orders);
    await trackAndCount(parts, other, [view('foreign', now(), '/foreign')]);
    await trackAndCount(parts, account, [
      view('a', now(), '/a', { country: 'DE' }),
      { ...view('b', now(), '/b'), event: 'order' },
      view('robot', now(), '/robot', { user_agent: 'Googlebot/2.1' }),
    ]);
    await eventually(async () => pathsOf(robots.text).length === 3 && pathsOf(all.text).length === 2);
    await trackAndCount(parts, account, [view('c', now(), '/c')]);
    await eventually(async () => pathsOf(all.text).length === 3);
    assert.deepEqual([pathsOf(all.text), pathsOf(german.text), pathsOf(orders.text)], [['/a', '/b', '/c'], ['/a'], ['/b']]);
    const [{ data } = { data: undefined }] = parsed(all.text).messages;
    assert.match(data?.events[0]?.visitor ?? '', /^visitor_/);
    assert.equal(data?.more, 0);
  });

  await t.test('continues after the last id, as a parameter or as Last-Event-ID, without a gap or a repetition', async (t) => {
    const account = testClient(app);
    const first = await openStream(t, origin, account);
    await trackAndCount(parts, account, [view('a', now(), '/1')]);
    await eventually(async () => pathsOf(first.text).length === 1);
    first.leave();
    await eventually(async () => first.ended);
    await trackAndCount(parts, account, [view('a', now(), '/2'), view('a', now(), '/3')]);
    const after = parsed(first.text).lastId;
    for (const options of [{ query: `?after=${after}` }, { headers: { 'last-event-id': after } }]) {
      const resumed = await openStream(t, origin, account, options);
      await eventually(async () => pathsOf(resumed.text).length >= 2);
      assert.deepEqual(pathsOf(resumed.text), ['/2', '/3']);
    }
  });

  await t.test('waits for an event that is stored and not yet counted', async () => {
    const account = testClient(app);
    const after = parsed((await account.get(path)).text).lastId;
    const read = async () => {
      const { text } = await account.get(`${path}?after=${after}`);
      return { paths: pathsOf(text), lastId: parsed(text).lastId };
    };
    const first = (await account.post('/v2/leadpulse/track', view('a', now(), '/first'))).data.results[0].id;
    await account.post('/v2/leadpulse/track', view('a', now(), '/second'));
    // Another process has counted the second before the first.
    const second = { account_id: account.accountId, 'page.path': '/second' };
    const events = parts.mongo.db.collection('events');
    await events.updateOne(second, { $unset: { pending: '' }, $set: { visitor: newId('visitor') } });
    const waiting = await eventually(async () => {
      const found = await read();
      return found.lastId === first && found;
    });
    assert.deepEqual(waiting.paths, []);
    await trackAndCount(parts, account, [view('a', now(), '/third')]);
    const counted = await eventually(async () => {
      const { paths } = await read();
      return paths.length === 3 && paths;
    });
    assert.deepEqual(counted, ['/first', '/second', '/third']);
  });

  await t.test('summarises a busy second', async () => {
    const account = testClient(app);
    const opened = await account.get(path);
    // Received in one second, or in two if it is over in between.
    const many = Array.from({ length: 330 }, (_, index) => view(`v${index}`, now(), `/${index}`));
    await trackAndCount(parts, account, many);
    const messages = await eventually(async () => {
      const read = parsed((await account.get(`${path}?after=${parsed(opened.text).lastId}`)).text).messages;
      return read.reduce((sum, { data }) => sum + data.events.length + data.more, 0) === 330 && read;
    });
    for (const { data } of messages) assert.ok(data.more === 0 ? data.events.length <= 100 : data.events.length === 100);
    assert.ok(messages.some(({ data }) => data.more > 0));
    assert.deepEqual(messages.at(-1)?.data.events.at(-1)?.page?.path, '/329', 'the latest are shown');
  });

  await t.test('rejects the eleventh open stream of an account, and admits it again when one ends', async (t) => {
    const account = testClient(app);
    const streams = await Promise.all(Array.from({ length: 10 }, () => openStream(t, origin, account)));
    assert.equal((await openStream(t, origin, account)).status, 429);
    assert.equal((await openStream(t, origin, testClient(app))).status, 200);
    streams[0]?.leave();
    await eventually(async () => (await openStream(t, origin, account)).status === 200);
  });

  await t.test('rejects an invalid position', async () => {
    const { status, error } = await testClient(app).get(`${path}?after=yesterday`);
    assert.deepEqual([status, error.code], [400, 'VALIDATION_ERROR']);
  });
});
