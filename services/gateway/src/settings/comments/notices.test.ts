import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { createAccountDocuments } from '@mp/service-kit/account-documents';
import { eventually } from '@mp/test-kit/eventually';
import { startCompany } from '../../../test/start-company.ts';
import type { Delivery, Mail } from '../users/mailer.ts';
import { createMailNotices } from './mail-notices.ts';

test('notices of comments', async (t) => {
  const company = await startCompany(t);
  const mails: Mail[] = [];
  let outcome: () => Promise<Delivery> = async () => ({ status: 'sent' });
  let clock = () => Date.now();

  async function setting() {
    const own = await company();
    const { parts, stores, account } = own;
    const worker = (leaseMs = 60_000) =>
      createMailNotices({
        ...{ broker: parts.broker, logger: parts.logger, ...stores, leaseMs, retryMs: { first: 1, max: 1 } },
        ...{ publicUrl: 'https://mp.example.com', now: () => clock() },
        deliver: (mail) => {
          mails.push(mail);
          return outcome();
        },
      });
    const statuses = async () => {
      const rows = await parts.mongo.db.collection('comment_notices').find({ account_id: account.id }).sort({ _id: 1 }).toArray();
      return rows.map(({ status }) => String(status)).sort();
    };
    const isSettled = async () => (await statuses()).every((status) => status !== 'waiting' && status !== 'sending');
    /** Whom a worker emails until nothing waits. */
    async function mailed() {
      mails.length = 0;
      const running = worker();
      running.start();
      await eventually(isSettled);
      await running.stop();
      return mails.map(({ to }) => to).sort();
    }
    const [ada, bea, cyd] = [await own.user('editor'), await own.user('viewer'), await own.user('viewer')];
    return { ...own, worker, statuses, mailed, ada, bea, cyd };
  }

  await t.test('are emailed once to those mentioned and to those who commented before, as plain text with a link to the page', async () => {
    const { campaign, mailed, ada, bea, cyd } = await setting();
    await ada.comment({ text: 'First' });
    assert.deepEqual(await mailed(), [], 'nobody is told of their own comment');
    const attack = '<script>alert(1)</script>\r\n\r\n<a href="https://evil.example">x</a>';
    await bea.comment({ text: attack, mentions: [cyd.id] });
    assert.deepEqual(await mailed(), [ada.email, cyd.email].sort());
    const mention = mails.find(({ to }) => to === cyd.email);
    assert.deepEqual(mention, {
      to: cyd.email,
      subject: `${bea.name} mentioned you in a comment on the campaign “Spring news”`,
      text: `${bea.name} mentioned you in a comment on the campaign “Spring news”:\n\n${attack}\n\nhttps://mp.example.com/campaigns/${campaign}#comments`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    assert.match(String(mails.find(({ to }) => to === ada.email)?.subject), /commented on the campaign “Spring news”$/);
    await cyd.comment({ text: 'Yes', mentions: [ada.id, cyd.id] });
    assert.deepEqual(await mailed(), [ada.email, bea.email].sort(), 'one email also for who is mentioned and commented');
    assert.deepEqual(await mailed(), []);
  });

  await t.test('of an edit go to those whom it mentions for the first time', async () => {
    const { mailed, ada, bea, cyd } = await setting();
    const { id } = (await ada.comment({ mentions: [bea.id] })).data;
    assert.deepEqual(await mailed(), [bea.email]);
    await ada.send('PUT', `/${id}`, { text: 'Also you', mentions: [bea.id, cyd.id] });
    assert.deepEqual(await mailed(), [cyd.email]);
    await ada.send('PUT', `/${id}`, { mentions: [] });
    assert.deepEqual((await bea.send('GET', '/mentions')).data.items, []);
    await ada.send('PUT', `/${id}`, { mentions: [bea.id] });
    assert.deepEqual(await mailed(), [], 'never twice about the same comment');
    assert.equal((await bea.send('GET', '/mentions')).data.items.length, 1);
  });

  await t.test('of a mention that was withdrawn before its email go out when the user is mentioned again', async () => {
    const { mailed, ada, bea } = await setting();
    const { id } = (await ada.comment({ mentions: [bea.id] })).data;
    await ada.send('PUT', `/${id}`, { mentions: [] });
    assert.deepEqual(await mailed(), []);
    await ada.send('PUT', `/${id}`, { mentions: [bea.id] });
    assert.deepEqual(await mailed(), [bea.email]);
  });

  await t.test('do not go to users who left, may no longer read the resource, or are no longer mentioned', async () => {
    const { account, stores, parts, mailed, ada, bea, cyd, user } = await setting();
    const admin = await user('admin');
    const mentioned = [bea.id, cyd.id, admin.id];
    const { id } = (await ada.comment({ mentions: mentioned })).data;
    await admin.call('DELETE', `/v2/settings/users/${bea.id}`);
    const row = await stores.users.find(account.id, cyd.id);
    assert.ok(row);
    await parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) =>
      stores.users.update(tx, { ...row, role: newId('role'), role_scopes: ['segments:read'] }),
    );
    await ada.send('PUT', `/${id}`, { mentions: [bea.id, cyd.id] });
    assert.deepEqual(await mailed(), []);
    assert.deepEqual((await cyd.send('GET', '/mentions')).data?.items, [], 'nor does the dashboard show it');
    const second = (await ada.comment({ mentions: [admin.id] })).data;
    await ada.send('DELETE', `/${second.id}`);
    assert.deepEqual(await mailed(), [], 'of a comment that was deleted');
  });

  await t.test('mention only users of the account who can read the resource', async () => {
    const [one, other] = [await setting(), await setting()];
    const narrow = await one.user('viewer', ['segments:read']);
    for (const [id, code] of [
      [other.ada.id, 'unknown_user'],
      [narrow.id, 'cannot_read'],
    ]) {
      const { status, error } = await one.ada.comment({ mentions: [one.bea.id, id] });
      assert.deepEqual([status, error.details[0].path, error.details[0].code], [400, '/mentions/1', code]);
    }
    const { items } = (await one.bea.send('GET', '/users?resource_type=campaign')).data;
    const ids = items.map(({ id }: { id: string }) => id);
    assert.ok([one.ada.id, one.bea.id, one.cyd.id].every((id) => ids.includes(id)));
    assert.ok(!ids.includes(narrow.id) && !ids.includes(other.ada.id));
    assert.deepEqual(Object.keys(items[0]), ['id', 'name']);
  });

  await t.test('are sent later if the mail server is unavailable, and never again if a process ended while it had one', async () => {
    const { worker, statuses, mailed, ada, bea, cyd } = await setting();
    await ada.comment({ mentions: [bea.id] });
    outcome = async () => (mails.length < 3 ? { status: 'retry', reason: 'connect ECONNREFUSED' } : { status: 'sent' });
    assert.deepEqual(await mailed(), [bea.email, bea.email, bea.email]);
    outcome = () => new Promise(() => undefined);
    mails.length = 0;
    await ada.comment({ mentions: [cyd.id] });
    worker(1_000).start();
    await eventually(async () => mails.length === 1);
    // It was killed, so it never continues.
    outcome = async () => ({ status: 'sent' });
    clock = () => Date.now() + 2_000;
    assert.deepEqual(await mailed(), []);
    clock = () => Date.now();
    assert.deepEqual(await statuses(), ['sent', 'unknown']);
  });

  await t.test('are at most 100 emails an hour for one user, and all mentions are in the dashboard', async () => {
    const { account, campaign, parts, mailed, ada, bea } = await setting();
    const earlier = Array.from({ length: 99 }, (_, index) => ({
      ...{
        _id: `${account.id} ${index}`,
        account_id: account.id,
        user_id: bea.id,
        comment_id: 'comment_x',
        reason: 'reply',
        status: 'sent',
      },
      ...{ resource_type: 'campaign', resource_id: campaign, created_at: new Date() },
    }));
    await parts.mongo.db.collection<{ _id: string }>('comment_notices').insertMany(earlier);
    for (const text of ['100', '101']) await ada.comment({ text, mentions: [bea.id] });
    assert.deepEqual(await mailed(), [bea.email]);
    assert.equal((await bea.send('GET', '/mentions')).data.items.length, 2);
  });

  await t.test('of mentions are listed newest first until they are marked as read, each user’s own', async () => {
    const { ada, bea, cyd } = await setting();
    const ids: string[] = [];
    for (const text of ['one', 'two', 'three']) ids.unshift((await ada.comment({ text, mentions: [bea.id] })).data.id);
    const mentions = async (query = '?unread=true', user = bea) =>
      (await user.send('GET', `/mentions${query}`)).data.items.map(({ comment_id }: { comment_id: string }) => comment_id);
    assert.deepEqual([await mentions(), await mentions('?unread=true', cyd)], [ids, []]);
    const { items } = (await bea.send('GET', '/mentions?limit=1')).data;
    assert.deepEqual(
      [items[0].text, items[0].author_name, items[0].resource_name, items[0].read_at],
      ['three', ada.name, 'Spring\nnews', null],
    );
    assert.equal((await cyd.send('POST', '/mentions/read')).data.marked, 0);
    assert.equal((await bea.send('POST', '/mentions/read', { comment_ids: [ids[1]] })).data.marked, 1);
    assert.deepEqual(await mentions(), [ids[0], ids[2]]);
    assert.equal((await bea.send('POST', '/mentions/read')).data.marked, 2);
    assert.deepEqual([await mentions(), await mentions('')], [[], ids]);
  });

  await t.test('are erased with their account, and so are comments', async () => {
    const { account, parts, ada, bea } = await setting();
    await ada.comment({ mentions: [bea.id] });
    const removed = new Map<string, number>();
    await createAccountDocuments(parts.mongo).erase(account.id, async (_, name, count) => void removed.set(name, count));
    assert.deepEqual([removed.get('comments'), removed.get('comment_notices')], [1, 1]);
  });
});
