import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { startTestGateway } from '../../../test/start-test-gateway.ts';

test('a user that never existed, or belongs to another account, is missing', async (t) => {
  const gateway = await startTestGateway(t);
  const [account, other] = [await gateway.makeAccount(), await gateway.makeAccount()];
  const invite = async (owner: typeof account, email: string) => {
    const key = await gateway.makeKey({ account: owner, permission: 'admin' });
    return String((await gateway.send('POST', '/v2/settings/users', { email, role: 'editor' }, { key })).data.id);
  };
  const [ada, eve] = [await invite(account, 'ada@example.com'), await invite(other, 'eve@example.com')];
  const stranger = newId('user');
  assert.deepEqual(await gateway.stores.users.missing(account.id, [ada, eve, stranger]), [eve, stranger]);
});
