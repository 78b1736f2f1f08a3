import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildDashboard, buildTimeoutMs } from '@mp/local-infra/built-pages';
import { withLock } from '@mp/local-infra/lock';

const root = fileURLToPath(new URL('../../', import.meta.url));
const logs = `${root}.data/test/logs`;

/** Builds the dashboard, which the gateway serves, if its sources are newer. A lock makes other test files wait. */
export async function builtDashboard() {
  mkdirSync(logs, { recursive: true });
  const build = () => buildDashboard(root, logs, () => undefined);
  await withLock(`${root}.data/test/dashboard.lock`, build, { waitMs: buildTimeoutMs });
  assert.ok(existsSync(new URL('../dist/index.html', import.meta.url)), `the dashboard was not built; see ${logs}/dashboard.log`);
}
