import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const keys = `test:${Buffer.alloc(32, 1).toString('base64url')}`;

test('a gateway in production with an https PUBLIC_URL refuses to start without TRUSTED_PROXIES', () => {
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://platform.example',
    TRUSTED_PROXIES: '',
    MONGODB_URL: 'mongodb://127.0.0.1:1',
    NATS_URL: 'nats://127.0.0.1:1',
    CONTEXT_KEYS: keys,
    CURSOR_KEYS: keys,
    PORT: '0',
    LOG_LEVEL: 'silent',
  };
  const main = new URL('./main.ts', import.meta.url).pathname;
  // A gateway that starts waits for MongoDB.
  const { status, stderr } = spawnSync(process.execPath, [main], { env, encoding: 'utf8', timeout: 240_000 });
  assert.deepEqual([status, /TRUSTED_PROXIES: PUBLIC_URL is https/.test(stderr)], [1, true], stderr);
});
