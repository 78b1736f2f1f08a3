import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ServiceName, serviceNames, services } from '@mp/contracts/services';
import { streams } from '@mp/contracts/streams';
import { parse } from 'yaml';
import { environments } from '../scripts/environments.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const names = serviceNames.toSorted();
const chart = 'deploy/k8s/marketing-platform';

test('every service of the list has a folder and publishes to one stream, and no other does', () => {
  assert.deepEqual(readdirSync(join(root, 'services')).sort(), names);
  const publishers = Object.values(streams).flatMap((stream) => ('publisher' in stream ? [stream.publisher] : []));
  assert.deepEqual(publishers.sort(), names);
});

test('each service, compose and the chart use the port of the list', () => {
  const compose: { services: Record<string, { environment?: { PORT?: number } }> } = parse(read('compose.yaml'), { merge: true });
  const values: { services: Record<string, { port: number }> } = parse(read(`${chart}/values.yaml`));
  for (const name of serviceNames) {
    const { port } = services[name];
    assert.equal(environments[name].PORT?.parse(undefined), port, name);
    assert.equal(values.services[name]?.port, port, name);
    // The image listens on 8080 by default, so compose omits the gateway's port.
    assert.equal(compose.services[name]?.environment?.PORT ?? services.gateway.port, port, name);
  }
});

test('compose and the chart have the services of the list', () => {
  const compose: { services: object } = parse(read('compose.yaml'), { merge: true });
  assert.deepEqual(
    Object.keys(compose.services)
      .filter((name) => ServiceName.safeParse(name).success)
      .sort(),
    names,
  );
  const values: { services: object } = parse(read(`${chart}/values.yaml`));
  assert.deepEqual(Object.keys(values.services).sort(), names);
  const schema: { properties: { services: { properties: object; required: string[] } } } = JSON.parse(read(`${chart}/values.schema.json`));
  assert.deepEqual(Object.keys(schema.properties.services.properties).sort(), names);
  assert.deepEqual(schema.properties.services.required.sort(), names);
});
