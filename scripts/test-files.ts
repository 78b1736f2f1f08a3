import { globSync } from 'node:fs';

/** The test files in these folders, by path. */
export const findTests = (root: string, folders: readonly string[]): string[] =>
  folders.flatMap((folder) => globSync(`${folder}/**/*.test.ts`, { cwd: root, exclude: (name) => name === 'node_modules' })).sort();

/** Tests that kill processes or take long are not part of `npm test`. */
export const isLong = (file: string): boolean => /\.(faults|slow)\.test\.ts$/.test(file);

/** Only ends a test that hangs: 30 seconds can become four minutes on a busy machine, and tests of faults take minutes. */
export const endsHangingTestMs = (faults: boolean): number => (faults ? 40 : 10) * 60_000;

/** For TEST_PATIENCE_MS: a test that waits in vain says for what before the runner ends it. */
export const patienceMs = (faults: boolean): number => endsHangingTestMs(faults) - 60_000;
