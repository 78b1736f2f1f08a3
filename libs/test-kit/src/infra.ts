import { acquireInfra, type Infra } from '@mp/local-infra/infra';

let infra: Promise<Infra> | undefined;

/** Real MongoDB and NATS, started once per run by `npm test`, or by a test file that runs alone. */
export function testInfra(): Promise<{ mongoUrl: string; natsUrl: string }> {
  const { MONGODB_URL, NATS_URL } = process.env;
  if (MONGODB_URL && NATS_URL) return Promise.resolve({ mongoUrl: MONGODB_URL, natsUrl: NATS_URL });
  infra ??= acquireInfra({ dir: new URL('../../../.data/test', import.meta.url).pathname });
  return infra;
}
