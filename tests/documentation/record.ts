import { writeFile } from 'node:fs/promises';
import { startPlatform } from '../platform.ts';
import { exerciseOperations } from './exercise-operations.ts';
import { createFixtures, createRecorder, type RecordedOperation } from './fixtures.ts';

/** `npm run examples`: exercises every operation on a new platform and records its request and response. */
const cleanUps: (() => Promise<void>)[] = [];
try {
  const platform = await startPlatform({ after: (cleanUp) => cleanUps.push(cleanUp) });
  const { recorded, record } = createRecorder(
    await platform.contract(),
    await platform.client('--permission', 'admin', '--account', 'example'),
  );
  await exerciseOperations(record, await createFixtures(record));
  const examples = Object.fromEntries(
    [...recorded].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, examples]) => [id, examples.map(presentable)]),
  );
  const file = new URL('../../services/gateway/config/examples.json', import.meta.url);
  await writeFile(file, `${JSON.stringify(examples, null, 2)}\n`);
} finally {
  for (const cleanUp of cleanUps) await cleanUp();
}

/** Replaces secrets, which look valid although their platform is gone, and local URLs. */
function presentable(example: RecordedOperation): RecordedOperation {
  const text = JSON.stringify(example)
    .replaceAll(/(mp_(?:live|at|cs)_)[0-9A-Za-z]{49}/g, '$1EXAMPLE')
    .replaceAll(/whsec_[A-Za-z0-9+/=_-]+/g, 'whsec_EXAMPLE')
    .replaceAll(/http:\/\/(?:127\.0\.0\.1|localhost):\d+/g, 'https://marketing.example.com')
    .replaceAll(/token=[A-Za-z0-9_-]{40,}/g, 'token=EXAMPLE');
  return JSON.parse(text, (_, value: unknown) => (Array.isArray(value) ? value.slice(0, 3) : value));
}
