import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { refusedGrant, startApplication } from '../../../test/start-application.ts';
import { newSecret } from '../../credentials/token-format.ts';

const onDevice = { confidential: false, redirect_uris: ['https://app.example/callback'] };

test('what a client without a secret sends from an address with many failures is served if it is right, and limited if it is wrong', async (t) => {
  const { register, connect, refresh, form, person } = await startApplication(t);
  const app = await register(onDevice);
  const { browser } = await person();
  const first = await connect(app, browser);
  const guess = () => form('/oauth/token', { grant_type: 'refresh_token', client_id: app.id, refresh_token: newSecret('refreshToken') });
  for (let times = 0; times < 100; times += 1) assert.equal((await guess()).status, 400);
  assert.deepEqual([(await guess()).status, (await guess()).body.error], [429, 'temporarily_unavailable']);
  assert.equal((await refresh(app, first.refresh_token ?? '')).scope, first.scope);
});

test('guessed IDs of clients count against the address, because each is looked up', async (t) => {
  const { form } = await startApplication(t);
  const guess = () => form('/oauth/token', { grant_type: 'refresh_token', client_id: newId('client'), refresh_token: 'x' });
  for (let times = 0; times < 100; times += 1) assert.equal((await guess()).status, 401);
  assert.equal((await guess()).status, 429);
});

test('a client that is in use by many users is not limited by those who have disconnected it', async (t) => {
  const { register, form } = await startApplication(t);
  const app = await register();
  const body = { grant_type: 'refresh_token', client_id: app.id, client_secret: app.secret };
  for (let times = 0; times < 102; times += 1) {
    const response = await form('/oauth/token', { ...body, refresh_token: newSecret('refreshToken') });
    assert.equal(response.body.error, 'invalid_grant');
  }
});

test('a client without a secret ends with the credential that created it, as one with a secret does', async (t) => {
  const { register, connect, refresh, person, parts } = await startApplication(t);
  const app = await register(onDevice);
  const { browser } = await person();
  const tokens = await connect(app, browser);
  const expired = { $set: { 'secrets.0.expires_at': new Date(Date.now() - 1) } };
  await parts.mongo.db.collection<{ _id: string }>('oauth_clients').updateOne({ _id: app.id }, expired);
  await assert.rejects(refresh(app, tokens.refresh_token ?? ''), (error: unknown) => !refusedGrant(error));
});
