import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { compilePipelines } from './compile-pipelines.ts';
import { policy } from './policy.ts';

const nothing = policy([], {}, () => undefined);
const policies = {
  authenticate: nothing,
  'check-address': nothing,
  'find-route': nothing,
  authorize: policy(['authenticate', 'find-route'], {}, () => undefined),
  'daily-quota': policy([], { most: z.int().positive() }, () => undefined),
  forward: policy(['find-route'], {}, () => undefined),
};

const guarded = [{ authenticate: null }, { 'check-address': null }, { 'find-route': {} }, { authorize: [{}] }];
const quota = { 'daily-quota': { action: { most: 1 } } };
const safe = [...guarded, quota, { forward: null }];
const open = [{ 'find-route': null }, { forward: null }];

type Listed = readonly object[];
function compiled(api: Listed, dashboard: Listed = open, pathGroup = 'dashboard') {
  const pipelines = Object.fromEntries(
    Object.entries({ api, public: open, tracking: open }).map(([name, all]) => [name, { apiEndpoints: [name], policies: all }]),
  );
  return compilePipelines({ pipelines: { ...pipelines, dashboard: { apiEndpoints: [pathGroup], policies: dashboard } } }, policies);
}

test('a pipeline of our policies becomes its steps, one with another policy none', () => {
  assert.equal(compiled(safe).api.steps?.length, 6);
  assert.equal(compiled([{ cors: null }, ...safe]).api.steps, undefined);
});

test('under /v2, nothing is forwarded before each guard, by any policy', () => {
  for (const guard of ['authenticate', 'check-address', 'find-route', 'authorize', 'daily-quota']) {
    const without = safe.filter((entry) => !(guard in entry));
    assert.throws(() => compiled(without), new RegExp(`pipeline api: \\S+ must come after .*${guard}`), guard);
    const [late] = safe.filter((entry) => guard in entry);
    assert.throws(() => compiled([...without, late ?? {}]), new RegExp(`must come after .*${guard}`), `${guard}, too late`);
  }
  assert.throws(
    () => compiled([{ forward: null }]),
    /: forward must come after find-route, authenticate, check-address, authorize, daily-quota\./,
  );
  assert.throws(() => compiled([...guarded, { proxy: { action: {} } }]), /pipeline api: proxy must come after daily-quota\./);
  assert.doesNotThrow(() => compiled([...guarded, quota]), 'a pipeline that forwards nothing');
});

test('elsewhere, a policy needs only what it reads', () => {
  assert.doesNotThrow(() => compiled(safe, open));
  assert.throws(() => compiled(safe, [{ forward: null }]), /pipeline dashboard: forward must come after find-route\./);
});

test('refuses what express-gateway would run otherwise than it reads, or not at all', () => {
  const [first = {}] = guarded;
  for (const [api, message] of [
    [
      [...guarded, { 'daily-quota': { condition: { name: 'never' }, action: { most: 1 } } }, { forward: null }],
      /condition may resolve late/,
    ],
    [[{ authenticate: null, 'check-address': null }, ...safe.slice(2)], /ignores all but the first/],
    [[first, ...safe], /authenticate is listed twice/],
    [[...safe, { cors: null }], /cors would never run, because forward ends the request/],
    [[...guarded, { 'daily-quota': { action: { most: 0 } } }, { forward: null }], /pipeline api, daily-quota: .*>0/s],
    [[...guarded, { 'daily-quota': { action: { most: 1, least: 1 } } }, { forward: null }], /pipeline api, daily-quota: .*least/s],
  ] as const)
    assert.throws(() => compiled(api), message);
});

test('each group of paths has one pipeline', () => {
  assert.throws(
    () => compiled(safe, open, 'tracking'),
    /apiEndpoints\.tracking must have one pipeline|apiEndpoints\.dashboard must have one/,
  );
  assert.throws(() => compiled(safe, open, 'shop'), /pipelines\.dashboard\.apiEndpoints/);
});
