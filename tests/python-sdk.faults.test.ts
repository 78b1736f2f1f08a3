import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { startPlatform } from './platform.ts';
import { pythonEnvironment } from './python-environment.ts';

const run = promisify(execFile);
const source = join(import.meta.dirname, '../libs/sdk-python');
/** The type checker that checks a program in strict mode. */
const mypy = 'mypy==1.18.2';

test('the Python SDK installs with pip, keeps its promises, and its README runs against a platform', async (t) => {
  const { folder, python, missing } = await pythonEnvironment(t, [mypy], { sdk: true });
  if (missing) return t.skip(missing);

  await t.test('its own tests pass', async () => {
    await succeeds(python, '-m', 'unittest', 'discover', '-s', join(source, 'tests'));
  });

  const readme = await readFile(join(source, 'README.md'), 'utf8');
  const program = [...readme.matchAll(/```python\n([\s\S]*?)```/g)].map(([, block]) => block).join('\n');
  const examples = join(folder, 'examples.py');
  // The README defines a receiver; it is called with a request that the reference implementation has signed.
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const sent = JSON.stringify({ id: 'event_1', type: 'contact.created', data: { first_name: 'Zoë' } });
  const at = new Date();
  const headers = {
    ...{ 'webhook-id': 'msg_1', 'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)) },
    'webhook-signature': new Webhook(secret).sign('msg_1', at, sent),
  };
  const received = `print(handle(os.environ["SENT"].encode(), ${JSON.stringify(headers)}), handle(b"{}", ${JSON.stringify(headers)}))\n`;
  await writeFile(examples, `${program}\n\n${received}`);

  await t.test('a strict type checker accepts the package and its README, and rejects a wrong field', async () => {
    await succeeds(python, '-m', 'mypy', '--strict', join(source, 'src'), examples);
    const wrong = join(folder, 'wrong.py');
    await writeFile(wrong, program.replace('"first_name": "Ada"', '"firstname": "Ada"'));
    await assert.rejects(run(python, ['-m', 'mypy', '--strict', wrong]), /mypy/);
  });

  await t.test('its README runs', async () => {
    const platform = await startPlatform(t);
    const client = await platform.client('--permission', 'read_write', '--account', 'python');
    const { stdout } = await run(python, [examples], {
      env: { ...process.env, MP_API_KEY: client.key, MP_BASE_URL: platform.url, WEBHOOK_SECRET: secret, SENT: sent },
    }).catch((error: { stdout: string; stderr: string }) => assert.fail(`${error.stdout}${error.stderr}`));
    const [revision, vip, page, emails, conflict, job, ...webhook] = stdout.trim().split('\n');
    assert.deepEqual([revision, vip, page, emails], ['2', 'ada@example.com', '1 None', "['ada@example.com']"]);
    assert.match(conflict ?? '', /^CONFLICT .+ req_/);
    assert.match(job ?? '', /^(queued|pending|processing|running|completed)$/);
    assert.deepEqual(webhook, ['contact.created', '204 400']);
  });
});

async function succeeds(command: string, ...args: string[]) {
  await run(command, args, { maxBuffer: 1e8 }).catch((error: { stdout: string; stderr: string }) =>
    assert.fail(`${error.stdout}${error.stderr}`),
  );
}
