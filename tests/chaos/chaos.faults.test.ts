import { test } from 'node:test';
import { runChaos } from './run-chaos.ts';

test('after 12 faults of one seed, everything acknowledged is there once, and the platform is at rest without help', async (t) => {
  await runChaos(t, { seed: 1, faults: 12, report: (line) => t.diagnostic(line) });
});
