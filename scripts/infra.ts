import { acquireInfra } from '@mp/local-infra/infra';
import { onStop } from '@mp/local-infra/stop-signals';
import { readOptions } from './read-options.ts';

readOptions(
  `npm run infra
Starts only MongoDB and NATS, prints their URLs, and keeps them running until Ctrl-C.`,
  {},
);

const infra = await acquireInfra({ report: (line) => console.log(line) }).catch(fail);
console.log(`
MongoDB  ${infra.mongoUrl}
NATS     ${infra.natsUrl}

Ctrl-C stops them unless another process uses them.`);

// Keeps this process alive.
const waiting = setInterval(() => {}, 60_000);
onStop({
  once: () => {
    clearInterval(waiting);
    infra.release().then(() => process.exit(0), fail);
  },
  again: () => process.exit(1),
});

function fail(error: unknown): never {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
