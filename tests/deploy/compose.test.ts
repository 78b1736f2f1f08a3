import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { parseKeyring } from '@mp/contracts/keyring';
import { parse } from 'yaml';
import { root } from './chart.ts';
import { youngGeneration } from './container-node.ts';
import { services, variablesOf } from './environments.ts';

const run = promisify(execFile);
const compose = parse(await readFile(join(root, 'compose.yaml'), 'utf8'), { merge: true });

test('compose sets exactly the variables that a service reads', () => {
  for (const service of services) {
    const { environment } = compose.services[service];
    assert.deepEqual(Object.keys(environment).sort(), variablesOf(service).sort(), service);
    if (environment.NODE_OPTIONS !== undefined) assert.equal(environment.NODE_OPTIONS, youngGeneration, service);
  }
});

test('compose confines each service, gives it its own users, and publishes only the gateway and the mail catcher', () => {
  for (const service of services) {
    const { read_only, cap_drop, security_opt, environment, stop_grace_period } = compose.services[service];
    assert.deepEqual([read_only, cap_drop, security_opt, stop_grace_period], [true, ['ALL'], ['no-new-privileges:true'], '45s']);
    assert.match(environment.MONGODB_URL, new RegExp(`^mongodb://${service}:\\$\\{${service.toUpperCase()}_MONGODB_PASSWORD\\}@`));
    assert.match(environment.NATS_URL, new RegExp(`^nats://${service}:\\$\\{${service.toUpperCase()}_NATS_PASSWORD\\}@`));
  }
  const published = Object.entries<{ ports?: string[] }>(compose.services).filter(([, { ports }]) => ports);
  assert.deepEqual(published.map(([name]) => name).sort(), ['gateway', 'mail']);
});

test('compose limits the memory and the log of every container', () => {
  for (const [name, { mem_limit, logging }] of Object.entries<{ mem_limit?: string; logging?: { options: object } }>(compose.services)) {
    assert.match(mem_limit ?? '', /^(\$\{[A-Z]+_MEMORY:-)?\d+[mg]\}?$/, name);
    assert.deepEqual(logging?.options, { 'max-size': '10m', 'max-file': '5' }, name);
  }
});

test('make-env writes every variable that compose needs and keeps existing values', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'env-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, '.env');
  const make = () => run(process.execPath, [join(root, 'deploy/docker/make-env.mjs'), file]);
  await make();
  const first = await readFile(file, 'utf8');
  const made = new Map(
    first
      .trimEnd()
      .split('\n')
      .map((line) => [line.split('=', 1)[0] ?? '', line.slice(line.indexOf('=') + 1)]),
  );
  const text = await readFile(join(root, 'compose.yaml'), 'utf8');
  for (const [, name = '', rest = ''] of text.matchAll(/(?<!\$)\$\{([A-Z_]+)([^}]*)\}/g))
    assert.ok(rest.startsWith(':-') || made.has(name), name);
  for (const [name, value] of made) if (/^(?:CONTEXT|CURSOR|LINK|WEBHOOK)_KEYS$/.test(name)) assert.equal(parseKeyring(value).keys.size, 1);
  await make();
  assert.equal(await readFile(file, 'utf8'), first);
});
