import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { serviceNames, services } from '@mp/contracts/services';
import { testInfra } from '@mp/test-kit/infra';
import { testNamespace } from '@mp/test-kit/test-parts';

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);

for (const name of serviceNames) {
  test(`${name} runs alone, with the commands of its README and beside another platform`, async (t) => {
    const { mongoUrl, natsUrl } = await testInfra();
    // The namespace keeps it apart from other tests, as another checkout has a MongoDB of its own.
    const env = {
      ...process.env,
      NODE_ENV: 'development',
      NAMESPACE: `${testNamespace}_${name}`,
      MONGODB_URL: mongoUrl,
      NATS_URL: natsUrl,
    };
    const { start, calls } = commandsOf(name);
    // The port of another platform on this machine, unless there is one already.
    const other = createServer().listen(services[name].port, '127.0.0.1');
    await once(other, 'listening').catch((error: unknown) => assert.match(String(error), /EADDRINUSE/));
    t.after(() => other.close());

    const service = spawn('bash', ['-c', start], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    const ended = new Promise((resolve) => service.once('close', resolve));
    t.after(async () => {
      if (service.pid !== undefined) process.kill(-service.pid, 'SIGTERM');
      await ended;
    });
    const printed: string[] = [];
    for await (const line of createInterface({ input: service.stdout })) {
      printed.push(line);
      if (line.includes('curl ')) break;
    }
    const port = /listens on port (\d+)/.exec(printed.join('\n'))?.[1];
    assert.ok(port, printed.join('\n'));
    assert.notEqual(Number(port), services[name].port, 'another platform has its port');
    const atItsPort = (call: string) => call.replace(`localhost:${services[name].port}`, `localhost:${port}`);
    assert.ok(
      calls.some((call) => printed.at(-1)?.endsWith(atItsPort(call))),
      'It prints a call that its README has.',
    );

    for (const call of calls) {
      const { stdout, stderr } = await run('bash', ['-c', atItsPort(call)], { cwd: root, env });
      assert.equal(JSON.parse(stdout).success, true, `${call}\n${stdout}${stderr}`);
    }
  });
}

/** The commands of the section "Run it alone": the start, and the calls to try. A line that ends with a backslash goes on in the next. */
function commandsOf(name: string): { start: string; calls: string[] } {
  const readme = readFileSync(join(root, 'services', name, 'README.md'), 'utf8');
  const section = readme.slice(readme.indexOf('## Run it alone'));
  const [start = '', calls = ''] = [...section.matchAll(/```sh\n(.*?)\n```/gs)].map(([, block = '']) => block);
  return { start, calls: calls.split(/(?<!\\)\n/) };
}
