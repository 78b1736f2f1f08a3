import { eventually } from '@mp/test-kit/eventually';
import { startPlatform } from '../platform.ts';
import { exerciseOperations } from './exercise-operations.ts';
import { createFixtures, createRecorder } from './fixtures.ts';
import { normaliseExamples, type RecordedExamples } from './normalise-examples.ts';
import { keepUnchanged } from './unchanged-examples.ts';

/** Exercises every operation on a new platform. Returns the examples; those that did not change are the previous ones. */
export async function recordExamples(scope: Parameters<typeof startPlatform>[0], previous: RecordedExamples): Promise<RecordedExamples> {
  const recordedAt = new Date();
  const platform = await startPlatform(scope);
  const client = await platform.client('--permission', 'admin', '--account', 'example');
  // Under load, a write may have to be retried.
  const { recorded, record } = createRecorder(await platform.contract(), client, (_, request) =>
    eventually(async () => {
      const response = await client.call(...request);
      return response.status !== 503 && response;
    }),
  );
  const library = { name: '@segment/analytics-node', version: '3.1.0' };
  const order = {
    userId: 'user-1042',
    event: 'Order Completed',
    messageId: 'order-1042',
    properties: { revenue: 49 },
    context: { library },
  };
  await client.post('/v1/track', { ...order, writeKey: client.key });
  await exerciseOperations(record, await createFixtures(record));
  return keepUnchanged(normaliseExamples(Object.fromEntries(recorded), recordedAt), previous);
}
