import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/parts';
import { routesOnly, smallest } from '../../test/setting.ts';

test('of eight simultaneous sends of one campaign one is accepted, and the others learn its state', async (t) => {
  const { app } = await testService(t, await testParts(t, 'campaigns'), routesOnly());
  const owner = testClient(app);
  for (let round = 0; round < 3; round += 1) {
    const { id } = (await owner.post('/v2/campaigns', smallest)).data;
    const answers = await Promise.all(Array.from({ length: 8 }, () => owner.post(`/v2/campaigns/${id}/send`)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, ...Array.from({ length: 7 }, () => 409)]);
    for (const { status, error } of answers) if (status === 409) assert.equal(error.code, 'INVALID_STATE');
  }
});
