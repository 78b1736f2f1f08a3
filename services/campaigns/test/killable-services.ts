import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import type { Parts } from '@mp/service-kit/service-parts';
import { testInfra } from '@mp/test-kit/infra';
import { testNamespace } from '@mp/test-kit/test-parts';

/** Starts the service in separate processes on the database of these parts, and kills them with SIGKILL. */
export async function killableServices(t: Pick<TestContext, 'after'>, parts: Parts, smtpUrl: string) {
  const { mongoUrl, natsUrl } = await testInfra();
  const alive: ChildProcess[] = [];
  let url = 'http://127.0.0.1:1';
  t.after(() => {
    for (const child of alive) child.kill('SIGKILL');
  });
  return {
    async start() {
      const child = spawn(process.execPath, [new URL('./service-process.ts', import.meta.url).pathname], {
        env: {
          ...process.env,
          MONGODB_URL: mongoUrl,
          NATS_URL: natsUrl,
          DATABASE: parts.mongo.db.databaseName,
          NAMESPACE: testNamespace,
          SMTP_URL: smtpUrl,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      alive.push(child);
      [url] = await once(child.stdout.setEncoding('utf8'), 'data');
      return child;
    },

    /** The URL of the process that was started last. */
    url: () => url,

    async kill(child: ChildProcess) {
      alive.splice(alive.indexOf(child), 1);
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** Mulberry32: the same seed gives the same chances. */
export function chances(state: number) {
  let s = state;
  return () => {
    s = (s + 0x6d2b79f5) | 0;
    let x = Math.imul(s ^ (s >>> 15), 1 | s);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 4_294_967_296;
  };
}
