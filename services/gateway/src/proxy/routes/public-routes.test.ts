import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { configFolder } from './generated-config.ts';
import { publicRoutes } from './public-routes.ts';

type Config = { apiEndpoints: Record<string, { paths: string[] }>; pipelines: Record<string, { apiEndpoints: string[] }> };

const { apiEndpoints, pipelines }: Config = parse(readFileSync(`${configFolder}/gateway.config.yml`, 'utf8'));

/** Whether an endpoint of gateway.config.yml covers a public route. */
const covers = (pattern: string, { path }: { path: string }) =>
  pattern === path || (pattern.endsWith('/*') && pattern !== '/*' && path.startsWith(pattern.slice(0, -1)));

/** The endpoint that documents a public route. */
const endpointOf = ({ path, service }: { path: string; service: string }) =>
  path === '/*' ? 'dashboard' : service === 'gateway' ? 'public' : 'tracking';

test('gateway.config.yml documents every public route', () => {
  for (const route of publicRoutes) {
    const paths = apiEndpoints[endpointOf(route)]?.paths ?? [];
    assert.ok(
      paths.some((pattern) => covers(pattern, route)),
      `${route.path} is missing from apiEndpoints.${endpointOf(route)}.paths`,
    );
  }
});

test('gateway.config.yml documents no path that is not served', () => {
  const { api, ...rest } = apiEndpoints;
  assert.deepEqual(api?.paths, ['/v2', '/v2/*']);
  for (const [name, { paths }] of Object.entries(rest)) {
    const own = publicRoutes.filter((route) => endpointOf(route) === name);
    for (const pattern of paths)
      assert.ok(
        own.some((route) => covers(pattern, route)),
        `nothing serves ${pattern} of ${name}`,
      );
  }
});

test('every endpoint has its pipeline', () => {
  assert.deepEqual(
    Object.values(pipelines).flatMap((pipeline) => pipeline.apiEndpoints),
    Object.keys(apiEndpoints),
  );
});
