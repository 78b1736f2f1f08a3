import { acquireInfra } from '@mp/local-infra/infra';

const infra = await acquireInfra({ report: (line) => console.log(line) }).catch(fail);
console.log(`
MongoDB  ${infra.mongoUrl}
NATS     ${infra.natsUrl}

Ctrl-C stops it when nobody else uses it.`);

// Nothing else keeps this process alive.
const waiting = setInterval(() => {}, 60_000);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    clearInterval(waiting);
    infra.release().catch(fail);
  });
}

function fail(error: unknown): never {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
