import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { ConflictError, ConnectionError, MarketingPlatform, MarketingPlatformError, ServerError, TimeoutError } from './sdk.ts';

type Reply = (response: ServerResponse) => void;

const whole = JSON.stringify({ success: true, data: { id: 'contact_1' } });
const head = (response: ServerResponse, status = 200) => response.writeHead(status, { 'content-type': 'application/json' });

const breaksOff: Reply = (response) => {
  head(response).write(whole.slice(0, 20));
  setTimeout(() => response.destroy(), 20);
};
const fallsSilent: Reply = (response) => void head(response).write(whole.slice(0, 20));
const errorFallsSilent: Reply = (response) => void head(response, 503).write('{"success":');
const silent: readonly Reply[] = [fallsSilent, errorFallsSilent];
const falls: Record<string, Reply> = {
  'is aborted': breaksOff,
  'falls silent': fallsSilent,
  'ends too early': (response) => void head(response).end(whole.slice(0, 20)),
  'is empty': (response) => void head(response).end(),
  'is an error that falls silent': errorFallsSilent,
  'is a conflict that is aborted': (response) => {
    head(response, 409).write('{"success":');
    setTimeout(() => response.destroy(), 20);
  },
  'is a conflict that ends too early': (response) => void head(response, 409).end('{"success":'),
};

/**
 * A platform on this machine that sends these replies, one per request, and then the last one again. Only what falls silent has a short
 * timeout, because a busy machine delays every response.
 */
async function platformWith(t: TestContext, ...replies: Reply[]) {
  const timeout = replies.some((reply) => silent.includes(reply)) ? 1_000 : 60_000;
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']);
    request.resume().once('end', () => (replies[keys.length - 1] ?? replies.at(-1))?.(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { keys, mp: new MarketingPlatform({ apiKey: 'mp_live_x', baseUrl: `http://127.0.0.1:${port}`, timeout }) };
}

function expectedOf(title: string) {
  if (title.startsWith('is an error')) return ServerError;
  if (title.startsWith('is a conflict')) return ConflictError;
  return title === 'falls silent' ? TimeoutError : ConnectionError;
}

for (const [title, reply] of Object.entries(falls)) {
  test(`a response that ${title} is retried with the same Idempotency-Key`, async (t) => {
    const { mp, keys } = await platformWith(t, reply, (response) => void head(response, 201).end(whole));
    const { id } = await mp.contacts.create({ email: 'ada@example.com' });
    assert.equal(id, 'contact_1');
    assert.equal(keys.length, 2);
    assert.equal(new Set(keys).size, 1);
  });

  test(`a response that ${title} every time is an error of this package, with the Idempotency-Key`, async (t) => {
    const { mp, keys } = await platformWith(t, reply);
    const call = mp.contacts.create({ email: 'ada@example.com' }, { maxRetries: 1 });
    await assert.rejects(call, (error: unknown) => {
      assert.ok(error instanceof MarketingPlatformError);
      const expected = expectedOf(title);
      assert.ok(error instanceof expected, error.message);
      assert.equal(error.idempotencyKey, keys[0]);
      return true;
    });
    assert.equal(keys.length, 2);
  });
}

test('a file that is aborted or falls silent is an error of this package, once what has arrived was read', async (t) => {
  for (const [reply, expected] of [
    [breaksOff, ConnectionError],
    [fallsSilent, TimeoutError],
  ] as const) {
    const { mp } = await platformWith(t, reply);
    const file = await mp.contacts.exports.download('export_1');
    const reader = file.body?.getReader();
    const first = await reader?.read();
    assert.equal(new TextDecoder().decode(first?.value), whole.slice(0, 20));
    await assert.rejects(async () => reader?.read(), expected);
  }
});

test('an error that replaces a file is an error of this package, even when it falls silent', async (t) => {
  const { mp, keys } = await platformWith(t, errorFallsSilent);
  await assert.rejects(mp.contacts.exports.download('export_1', { maxRetries: 1 }), ServerError);
  assert.equal(keys.length, 2);
});

test('a file may take longer than the timeout while parts of it arrive, and while nobody reads it', async (t) => {
  const { mp } = await platformWith(t, (response) => {
    head(response);
    let parts = 0;
    const timer = setInterval(() => {
      parts += 1;
      response.write('part ');
      if (parts < 30) return;
      clearInterval(timer);
      response.end();
    }, 100);
  });
  const file = await mp.contacts.exports.download('export_1', { timeout: 2_000 });
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  assert.equal(await file.text(), 'part '.repeat(30));
});

test('a signal that aborts in the middle of a response or an error throws its own reason, and nothing is retried', async (t) => {
  for (const status of [200, 400, 503]) {
    const reason = new Error('The user left.');
    const leaving = new AbortController();
    const { mp, keys } = await platformWith(t, (response) => {
      head(response, status).write('{"success":');
      setTimeout(() => leaving.abort(reason), 100);
    });
    await assert.rejects(mp.contacts.create({ email: 'ada@example.com' }, { signal: leaving.signal }), reason, `${status}`);
    assert.equal(keys.length, 1);
  }
});
