import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform } from '../platform.ts';
import { createTeller, makeThings } from './things.ts';
import { useThings } from './use-things.ts';

/** The examples in the OpenAPI document are this story as it was recorded by `npm run examples`; here it is told again. */
test('every operation does what its example shows', async (t) => {
  const platform = await startPlatform(t);
  const contract = await platform.contract();
  const { told, tell } = createTeller(contract, await platform.client('--permission', 'admin', '--account', 'example'));
  await useThings(tell, await makeThings(tell));

  await t.test('none is left out of the story', () => {
    const untold = contract.operations.map(({ id }) => id).filter((id) => !told.has(id));
    assert.deepEqual(untold, [], 'tell of these in tests/documentation and run `npm run examples`');
  });
});
