import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { configFolder } from './generated-config.ts';
import { pathGroupOf } from './path-groups.ts';
import { publicRoutes } from './public-routes.ts';

type Config = { apiEndpoints: Record<string, { paths: string[] }> };

const { apiEndpoints }: Config = parse(readFileSync(`${configFolder}/gateway.config.yml`, 'utf8'));

/** Whether a path of gateway.config.yml covers a public route. */
const covers = (pattern: string, { path }: { path: string }) =>
  pattern === path || (pattern.endsWith('/*') && pattern !== '/*' && path.startsWith(pattern.slice(0, -1)));

test('gateway.config.yml documents every public route', () => {
  for (const route of publicRoutes) {
    const paths = apiEndpoints[pathGroupOf(route.path)]?.paths ?? [];
    assert.ok(
      paths.some((pattern) => covers(pattern, route)),
      `${route.path} is missing from apiEndpoints.${pathGroupOf(route.path)}.paths`,
    );
  }
});

test('gateway.config.yml documents no path that is not served', () => {
  const { api, ...rest } = apiEndpoints;
  assert.deepEqual(api?.paths, ['/v2', '/v2/*']);
  for (const [name, { paths }] of Object.entries(rest)) {
    const own = publicRoutes.filter((route) => pathGroupOf(route.path) === name);
    for (const pattern of paths)
      assert.ok(
        own.some((route) => covers(pattern, route)),
        `nothing serves ${pattern} of ${name}`,
      );
  }
});
