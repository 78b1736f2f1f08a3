import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { refusedGrant, startApplication } from '../../../test/start-application.ts';
import type { AccountRow } from '../accounts/account.ts';

test('what an account requires of sign-ins also holds for the applications that its users had connected', async (t) => {
  const setting = await startApplication(t);
  const { register, request, decide, exchange, connect, refresh, statusOf, person, call, parts, stores } = setting;
  const zap = await register();

  const require = (account: AccountRow, change: Partial<Pick<AccountRow, 'single_sign_on' | 'second_factor'>>) =>
    parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => stores.accounts.update(tx, account.id, change));
  const accepted = async (headers: Record<string, string>) =>
    (await call('/auth/grants', { headers })).data.items.map((grant: { accepted: boolean }) => grant.accepted);
  const becomes = (status: number, token: Awaited<ReturnType<typeof connect>>) =>
    eventually(async () => ((await statusOf('/v2/me', token)) === status ? true : undefined));
  /** As if the user had come from an identity provider. */
  const comesFromProvider = ({ user }: Awaited<ReturnType<typeof person>>) =>
    parts.mongo.db.collection('sessions').updateMany({ user_id: user.id }, { $set: { by: 'single_sign_on' } });

  await t.test(
    'single sign-on: what was allowed after a password stops at once, and works again only once it is optional again',
    async () => {
      const owner = await person();
      const ada = await person('admin', owner.account);
      const byPassword = await connect(zap, ada.browser);
      const ofOwner = await connect(zap, owner.browser);
      await comesFromProvider(ada);
      const byProvider = await connect(zap, ada.browser);
      await require(owner.account, { single_sign_on: 'required' });
      await becomes(401, byPassword);
      await assert.rejects(refresh(zap, byPassword.refresh_token ?? ''), refusedGrant);
      assert.deepEqual(await accepted(owner.browser), [true, true, false], 'although the user has signed in with the provider since');
      assert.equal(await statusOf('/v2/me', byProvider), 200);
      assert.ok((await refresh(zap, byProvider.refresh_token ?? '')).access_token);
      assert.ok((await refresh(zap, ofOwner.refresh_token ?? '')).access_token, 'the owner is exempt');
      await require(owner.account, { single_sign_on: 'optional' });
      assert.ok((await refresh(zap, byPassword.refresh_token ?? '')).access_token, 'the refused refresh token was not used up');
      await becomes(200, byPassword);
    },
  );

  await t.test('a second factor: what was allowed without one stops, even for a user who adds one later', async () => {
    const ada = await person();
    const without = await connect(zap, ada.browser);
    await ada.addTotp();
    const proven = await connect(zap, ada.browser);
    await require(ada.account, { second_factor: 'required_for_admins' });
    await becomes(401, without);
    await assert.rejects(refresh(zap, without.refresh_token ?? ''), refusedGrant);
    assert.deepEqual(await accepted(ada.browser), [true, false]);
    assert.ok((await refresh(zap, proven.refresh_token ?? '')).access_token);
  });

  await t.test('a code that was allowed before the requirement is worth nothing after it', async () => {
    const owner = await person();
    const ada = await person('editor', owner.account);
    const { verifier, query } = await request(zap);
    const decided = await decide(query, ada.browser);
    await require(owner.account, { single_sign_on: 'required' });
    await assert.rejects(exchange(zap, decided.data.redirect_to, verifier), refusedGrant);
    assert.deepEqual(await accepted(owner.browser), [], 'and leaves no grant');
  });
});
