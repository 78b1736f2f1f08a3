import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import type { Results } from './test-results.ts';

/** A reporter of Node's test runner: the results of one process, as JSON. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const failed: string[] = [];
  for await (const event of events) {
    if (event.type === 'test:fail') failed.push(`${relative(process.cwd(), event.data.file ?? '')}: ${event.data.name}`);
    if (event.type !== 'test:summary' || event.data.file !== undefined) continue;
    const { passed, skipped } = event.data.counts;
    yield JSON.stringify({ files: 0, passed, skipped, failed } satisfies Results);
  }
}
