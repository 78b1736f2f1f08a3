import { readEnv } from '@mp/service-kit/env';
import { prepareDatabase } from '@mp/service-kit/prepare-database';
import { createParts } from '@mp/service-kit/service-parts';
import { buildSegments } from '../build-segments.ts';
import { segmentsEnv } from '../env.ts';
import { createRebuild } from '../profiles/rebuild-profiles.ts';

/** Rebuilds the profiles from the contacts service, which must be running. Safe while the segments service is running. */
const parts = createParts({ name: 'segments', ...readEnv(segmentsEnv) });
const built = buildSegments(parts);
await prepareDatabase(parts, built);
parts.broker.start();
parts.relay.start();
const rebuilt = await createRebuild({ ...parts, ...built })(({ accounts, contacts }) => {
  process.stderr.write(`\r${accounts} accounts, ${contacts} contacts`);
});
process.stderr.write('\n');
process.stdout.write(`${JSON.stringify(rebuilt)}\n`);
await built.counts.flush();
await parts.relay.stop();
await parts.broker.stop();
await parts.mongo.stop();
