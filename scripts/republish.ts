import { commonEnv, readEnv } from '@mp/service-kit/env';
import { createParts } from '@mp/service-kit/parts';
import { readOptions, refuse } from './read-options.ts';

/** Makes the services publish again what they published since a moment: for a broker that lost its streams. */
const services = ['gateway', 'contacts', 'segments', 'campaigns', 'leadpulse', 'workflows'];
const usage = `npm run republish -- --since 2026-11-20T00:00:00Z [--service contacts]

Events already consumed are recognised by their id and change nothing. Outboxes keep seven days.
Services: ${services.join(', ')}; all of them when none is named.`;

const { values } = readOptions(usage, { since: { type: 'string' }, service: { type: 'string', multiple: true } });
const since = new Date(values.since ?? '');
const chosen = values.service ?? services;
const unknown = chosen.filter((name) => !services.includes(name));
if (Number.isNaN(since.getTime())) refuse('--since: expected a time such as 2026-11-20T00:00:00Z', usage);
if (unknown.length > 0) refuse(`--service: there is no service ${unknown.join(', ')}`, usage);

const env = readEnv(commonEnv);
for (const name of chosen) {
  const { mongo, outbox } = createParts({ ...env, name });
  console.log(`${name}: ${await outbox.republish(since)} events will be published again`);
  await mongo.stop();
}
