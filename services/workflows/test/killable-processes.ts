import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import type { Parts } from '@mp/service-kit/service-parts';
import { testInfra } from '@mp/test-kit/infra';
import { testNamespace } from '@mp/test-kit/test-parts';

/** Starts the service in separate processes on the database of these parts, and kills them with SIGKILL. */
export async function killableProcesses(t: Pick<TestContext, 'after'>, parts: Parts) {
  const { mongoUrl, natsUrl } = await testInfra();
  const env = { ...process.env, MONGODB_URL: mongoUrl, NATS_URL: natsUrl, DATABASE: parts.mongo.db.databaseName, NAMESPACE: testNamespace };
  /** The oldest first. */
  const alive: ChildProcess[] = [];

  async function start() {
    const file = new URL('./service-process.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    alive.push(child);
    await once(child.stdout, 'data');
  }

  async function kill(child: ChildProcess) {
    alive.splice(alive.indexOf(child), 1);
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  t.after(() => Promise.all([...alive].map(kill)));

  return { alive, start, kill };
}
