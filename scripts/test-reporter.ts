import { join, relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import type { Results } from './test-results.ts';

const root = join(import.meta.dirname, '..');

/** A reporter of Node's test runner: the results of one process, as JSON. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const failed: Results['failed'] = [];
  const seconds: Record<string, number> = {};
  for await (const { type, data } of events) {
    if (type === 'test:fail' || type === 'test:pass') {
      const file = relative(root, data.file ?? '');
      if (type === 'test:fail') {
        const { error } = data.details;
        // A suite that only failed because a test in it did.
        if (!('failureType' in error) || error.failureType !== 'subtestsFailed')
          failed.push({ test: `${file}: ${data.name}`, error: inspect(error.cause ?? error) });
      }
      if (data.nesting === 0) seconds[file] = (seconds[file] ?? 0) + data.details.duration_ms / 1_000;
    }
    if (type === 'test:summary' && data.file === undefined) {
      const { passed, skipped } = data.counts;
      yield JSON.stringify({ passed, skipped, failed, seconds } satisfies Results);
    }
  }
}
