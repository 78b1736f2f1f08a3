import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { folderFor } from '../test/folder.ts';
import { until } from '../test/own-infra.ts';
import { freePort } from './free-port.ts';
import { isAlive, markOf } from './process-mark.ts';
import { startServices } from './services.ts';

test('waits until a service reports ready, and drains it on stop', async (t) => {
  const { services, log } = await startFixture(t, { READY_AFTER_MS: '300' });
  const began = Date.now();
  await services.untilReady();
  assert.ok(Date.now() - began >= 250);
  await services.stop();
  await until(() => log().includes('draining'), 'the log file');
});

test('shows warnings and errors only; the log file has everything', async (t) => {
  const { services, shown, log, url } = await startFixture(t);
  await services.untilReady();
  await fetch(`${url}/warn`);
  await until(() => shown.length > 0, 'the warning');
  assert.equal(shown.length, 1);
  assert.match(shown[0] ?? '', /fixture.*warn.* a warning/);
  await until(() => log().includes('"listening"'), 'the log file');
  await services.stop();
});

test('reports a service that crashes and restarts it', async (t) => {
  const { services, shown, url } = await startFixture(t);
  await services.untilReady();
  const pid = await (await fetch(`${url}/pid`)).text();
  process.kill(Number(pid), 'SIGKILL');
  await until(() => shown.some((line) => line.includes('fixture was killed by SIGKILL unexpectedly')), 'the report');
  await until(
    async () =>
      (await fetch(`${url}/pid`).then(
        (response) => response.text(),
        () => pid,
      )) !== pid,
    'another process',
  );
  await services.stop();
});

test('stops restarting a service that keeps crashing, and shows the end of its log', async (t) => {
  const { services, shown, gaveUp } = await startFixture(t, { DIE_AT_START: '1' });
  await assert.rejects(services.untilReady(), /fixture did not start/);
  assert.deepEqual(gaveUp, ['fixture crashed 5 times within a minute.']);
  assert.ok(shown.some((line) => line.includes('this fixture was told to die')));
});

for (const mode of ['start', 'watch']) {
  test(`when the platform is killed with -9, its services stop themselves (${mode})`, async (t) => {
    const logs = folderFor(t);
    const port = await freePort();
    const platform = spawn(process.execPath, [join(import.meta.dirname, '../test/platform.ts'), logs, String(port), mode], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(platform.stdout, 'data');
    const url = `http://127.0.0.1:${port}/pid`;
    const service = markOf(Number(await (await fetch(url)).text()));
    platform.kill('SIGKILL');
    await until(() => !isAlive(service), 'the service to stop');
    await assert.rejects(fetch(url));
  });
}

async function startFixture(t: TestContext, env: NodeJS.ProcessEnv = {}) {
  const logs = folderFor(t);
  const port = await freePort();
  const shown: string[] = [];
  const gaveUp: string[] = [];
  const fixture = {
    name: 'fixture',
    file: 'fixture-service.ts',
    cwd: join(import.meta.dirname, '../test'),
    port,
    env: { PATH: process.env.PATH, ...env, PORT: String(port) },
  };
  const services = startServices([fixture], { logs, show: (text) => shown.push(text), gaveUp: (reason) => gaveUp.push(reason) });
  t.after(() => services.kill());
  return { services, shown, gaveUp, url: `http://127.0.0.1:${port}`, log: () => readFileSync(join(logs, 'fixture.log'), 'utf8') };
}
