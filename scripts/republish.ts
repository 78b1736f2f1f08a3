import { parseArgs } from 'node:util';
import { commonEnv, readEnv } from '@mp/service-kit/env';
import { createParts } from '@mp/service-kit/parts';

/** Makes the services publish again what they published since a moment: for a broker that lost its streams. */
const services = ['gateway', 'contacts', 'segments', 'campaigns', 'leadpulse', 'workflows'];
const usage = `npm run republish -- --since 2026-11-20T00:00:00Z [--service contacts]

Events already consumed are recognised by their id and change nothing. Outboxes keep seven days.
Services: ${services.join(', ')}; all of them when none is named.\n`;

const { values } = parseArgs({
  options: { since: { type: 'string' }, service: { type: 'string', multiple: true }, help: { type: 'boolean' } },
});
const since = new Date(values.since ?? '');
const chosen = values.service ?? services;
const unknown = chosen.filter((name) => !services.includes(name));
if (values.help || Number.isNaN(since.getTime()) || unknown.length > 0) {
  process.stderr.write(usage);
  process.exit(values.help ? 0 : 1);
}

const env = readEnv(commonEnv);
for (const name of chosen) {
  const { mongo, outbox } = createParts({ ...env, name });
  console.log(`${name}: ${await outbox.republish(since)} events will be published again`);
  await mongo.stop();
}
