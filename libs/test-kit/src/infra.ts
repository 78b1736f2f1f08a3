import { acquireInfra, type Infra } from '@mp/local-infra/infra';

let infra: Promise<Infra> | undefined;

/** Real MongoDB and NATS, started once for the whole run: by `npm test`, or by the first test file that is run alone. */
export function testInfra(): Promise<{ mongoUrl: string; natsUrl: string }> {
  const { MONGODB_URL, NATS_URL } = process.env;
  if (MONGODB_URL && NATS_URL) return Promise.resolve({ mongoUrl: MONGODB_URL, natsUrl: NATS_URL });
  infra ??= acquireInfra({ dir: new URL('../../../.data/test', import.meta.url).pathname });
  return infra;
}
