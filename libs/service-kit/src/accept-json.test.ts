import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { startCpuClock } from '@mp/test-kit/cpu-clock';
import { contextKeys } from '@mp/test-kit/parts';
import { z } from 'zod';
import { createServer } from './create-server.ts';
import { createLogger } from './logger.ts';

/** Of computing: far more than it needs, and far less than normalizing a megabyte of marks. */
const mostMs = 5_000;

test('texts that would take minutes to normalize are refused at once', async (t) => {
  const app = createServer({ name: 'kit', contextKeys, logger: createLogger('kit', 'silent') });
  const body = z.object({ text: z.string().trim().normalize('NFC').max(1_000_000) }).loose();
  app.post('/v2/things', { config: { scope: 'contacts:write' }, schema: { body } }, async () => ({ success: true, data: {} }));
  await app.ready();
  t.after(() => app.close());
  const client = testClient(app);
  const post = (json: string) => client.post('/v2/things', json);
  const marks = (count: number) => '\u0300\u0316'.repeat(count / 2);
  const escaped = (text: string) => text.replace(/[^\x20-\x7e]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const filler = 'x'.repeat(5_000);

  await t.test('a megabyte of combining marks, plain or escaped, in a value or a name, however deep', async () => {
    const many = marks(500_000);
    for (const json of [
      JSON.stringify({ text: `a${many}` }),
      `{"text": "${escaped(marks(170_000))}"}`,
      JSON.stringify({ text: 'a', [many]: 1 }),
      JSON.stringify({ text: 'a', more: [{ deep: [many] }] }),
      JSON.stringify({ text: filler + marks(102) }),
    ]) {
      const clock = startCpuClock();
      const { status, error } = await post(json);
      assert.deepEqual([status, error.code], [400, 'VALIDATION_ERROR']);
      assert.match(error.message, /100 combining marks/);
      assert.ok(clock() < mostMs);
    }
  });

  await t.test('as many as people write are taken, and so are other scripts in escapes', async () => {
    for (const text of [
      filler + marks(100),
      `${filler}${'a\u0300\u0301'.repeat(3_000)}`,
      '\u6f22\u5b57'.repeat(5_000),
      '\ud83d\ude00'.repeat(2_000),
      marks(400),
    ]) {
      assert.equal((await post(JSON.stringify({ text }))).status, 200);
      assert.equal((await post(`{"text": "${escaped(text)}"}`)).status, 200);
    }
  });
});
