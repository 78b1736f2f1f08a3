import { ServiceName, serviceNames } from '@mp/contracts/services';
import { commonEnv, readEnv } from '@mp/service-kit/env';
import { createParts } from '@mp/service-kit/service-parts';
import { readOptions, refuse } from './read-options.ts';

/** Republishes the events of the services since a given time, for a broker that has lost its streams. */
const usage = `npm run republish -- --since 2026-11-20T00:00:00Z [--service contacts]

Publishes events again. Consumers ignore events that they have already processed. Outboxes keep events for seven days.
Services: ${serviceNames.join(', ')}. Default: all.`;

const { values } = readOptions(usage, { since: { type: 'string' }, service: { type: 'string', multiple: true } });
const since = new Date(values.since ?? '');
const chosen = values.service ?? serviceNames;
const unknown = chosen.filter((name) => !ServiceName.safeParse(name).success);
if (Number.isNaN(since.getTime())) refuse('--since: expected a time such as 2026-11-20T00:00:00Z', usage);
if (unknown.length > 0) refuse(`--service: there is no service ${unknown.join(', ')}`, usage);

const env = readEnv(commonEnv);
for (const name of chosen) {
  const { mongo, outbox } = createParts({ ...env, name });
  console.log(`${name}: ${await outbox.republish(since)} outbox rows will be published again`);
  await mongo.stop();
}
