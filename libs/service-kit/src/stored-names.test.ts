import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renamedFrom } from '@mp/contracts/renamed-from';
import { z } from 'zod';
import { storedNames } from './stored-names.ts';

const Hours = z.strictObject({ from: renamedFrom('start', z.string()), to: renamedFrom('end', z.string()) });
const names = storedNames(z.object({ name: z.string(), hours: z.array(Hours).nullable() }));
const current = { name: 'Night', hours: [{ from: '22:00', to: '07:00' }] };
const former = { name: 'Night', hours: [{ start: '22:00', end: '07:00' }] };

test('a row is read by the names of any version that stored it', () => {
  assert.deepEqual(names.read(former), current);
  assert.deepEqual(names.read(current), current);
  assert.deepEqual(names.read({ name: 'None', hours: null }), { name: 'None', hours: null });
});

test('a row is stored by the names that came first, so that a version that runs beside this one can read it', () => {
  assert.deepEqual(names.stored(current), former);
  assert.deepEqual(names.read(names.stored(current)), current);
});
