import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameRequests } from '@mp/contracts/requests/names';
import { newId } from '@mp/ids';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { startCompany } from '../../../test/start-company.ts';
import { buildSettingsApp } from '../app.ts';

test('every route of comments', async (t) => {
  const parts = await testParts(t, 'settings');
  const { app } = await testService(t, parts, buildSettingsApp, { live: true });
  for (const request of Object.values(nameRequests)) await parts.broker.reply(request, async () => ({ name: null }));
  const id = '01h455vb4pex5vsknk084sn02q';
  const about = `resource_type=campaign&resource_id=campaign_${id}`;
  const scope = 'campaigns:read' as const;
  const comment = (suffix = '') => `/v2/comments/comment_${id}${suffix}`;
  await guaranteeRoute(t, app, { method: 'GET', scope, url: () => `/v2/comments?${about}` });
  await guaranteeRoute(t, app, { method: 'GET', scope, url: () => comment() });
  const people = { scope, people: true } as const;
  const body = { resource_type: 'campaign', resource_id: `campaign_${id}`, text: 'Hello' };
  await guaranteeRoute(t, app, { ...people, method: 'POST', url: () => '/v2/comments', body });
  await guaranteeRoute(t, app, { ...people, method: 'PUT', url: () => comment(), body: { text: 'Hello' } });
  await guaranteeRoute(t, app, { ...people, method: 'DELETE', url: () => comment() });
  await guaranteeRoute(t, app, { ...people, method: 'POST', url: () => comment('/resolve'), body: {} });
  await guaranteeRoute(t, app, { ...people, method: 'POST', url: () => comment('/reopen'), body: {} });
  await guaranteeRoute(t, app, { ...people, method: 'GET', url: () => '/v2/comments/users?resource_type=campaign' });
  await guaranteeRoute(t, app, { ...people, method: 'GET', url: () => '/v2/comments/mentions' });
  await guaranteeRoute(t, app, { ...people, method: 'POST', url: () => '/v2/comments/mentions/read', body: {} });
});

test('comments', async (t) => {
  const company = await startCompany(t);

  await t.test('are written by every user who may read the resource, and read by programs that may', async () => {
    const { account, campaign, user, keyOf } = await company();
    const [viewer, analyst] = [await user('viewer'), await user('viewer', ['segments:read'])];
    const written = await viewer.comment({ text: '  Is the link right?\n<b>&amp;</b>  ' });
    assert.equal(written.status, 201, written.text);
    const { data } = written;
    assert.equal(written.headers.get('location'), `/v2/comments/${data.id}`);
    assert.deepEqual(
      [data.author_id, data.author_name, data.text, data.mentions, data.resolved_at, data.edited_at, data.revision],
      [viewer.id, viewer.name, 'Is the link right?\n<b>&amp;</b>', [], null, null, 1],
    );
    assert.equal((await analyst.comment()).status, 403, 'a role without the scope');
    assert.equal((await analyst.send('GET', `/${data.id}`)).status, 404);
    const [reader, writer] = [await keyOf({ permission: 'read_only' }), await keyOf({ permission: 'admin' })];
    const listed = await reader('GET', `?resource_type=campaign&resource_id=${campaign}`);
    assert.deepEqual(listed.data.items, [data]);
    assert.deepEqual((await reader('GET', `/${data.id}`)).data, data);
    const refused = await writer('POST', '', { resource_type: 'campaign', resource_id: campaign, text: 'I am a program' });
    assert.deepEqual([refused.status, refused.error.code], [403, 'FORBIDDEN']);
    assert.equal(
      (await (await keyOf({ scopes: ['segments:read'] }))('GET', `?resource_type=campaign&resource_id=${campaign}`)).status,
      403,
    );
    assert.ok(account);
  });

  await t.test('are about an existing resource of the same account', async () => {
    const [one, other] = [await company(), await company()];
    const stranger = await other.user('admin');
    for (const [resource_type, resource_id] of [
      ['campaign', one.campaign],
      ['segment', newId('segment')],
      ['workflow', 'x'],
      // The ID of another kind of resource.
      ['template', other.campaign],
    ] as const) {
      const { status, error } = await stranger.comment({ resource_type, resource_id });
      assert.deepEqual([status, error.code], [404, 'NOT_FOUND'], resource_type);
      assert.equal((await stranger.send('GET', `?resource_type=${resource_type}&resource_id=${resource_id}`)).status, 404);
    }
    const { id } = (await (await one.user('editor')).comment()).data;
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/resolve'],
    ] as const)
      assert.equal((await stranger.send(method, `/${id}${path}`)).status, 404, method);
  });

  await t.test('end with their resource: then they can only be deleted', async () => {
    const { user, campaign, campaigns } = await company();
    const author = await user('editor');
    const { id } = (await author.comment()).data;
    campaigns.delete(campaign);
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['POST', '/resolve'],
      ['POST', '/reopen'],
    ] as const)
      assert.equal((await author.send(method, `/${id}${path}`, {})).status, 404, `${method} ${path}`);
    assert.equal((await author.send('DELETE', `/${id}`)).status, 200);
  });

  await t.test('are edited by their author, deleted by their author or an admin, and resolved by everybody', async () => {
    const { user, audited } = await company();
    const [author, editor, admin] = [await user('viewer'), await user('editor'), await user('admin')];
    const { data } = await author.comment();
    assert.deepEqual((await author.send('PUT', `/${data.id}`, data)).data, data, 'what GET returned can be sent back');
    const edited = await author.send('PUT', `/${data.id}`, { ...data, text: 'Better' });
    assert.deepEqual([edited.data.text, edited.data.revision, edited.data.edited_at !== null], ['Better', 2, true]);
    const stale = await author.send('PUT', `/${data.id}`, { text: 'Stale' }, { 'if-match': '"1"' });
    assert.equal(stale.status, 412);
    assert.equal((await author.send('PUT', `/${data.id}`, { author_id: editor.id })).error.details[0].code, 'read_only');
    for (const other of [editor, admin]) assert.equal((await other.send('PUT', `/${data.id}`, { text: 'Forged' })).status, 403);
    const resolved = (await editor.send('POST', `/${data.id}/resolve`)).data;
    assert.deepEqual([resolved.resolved_by, resolved.resolved_at !== null, resolved.revision], [editor.id, true, 3]);
    assert.equal((await author.send('POST', `/${data.id}/resolve`)).data.resolved_by, editor.id, 'it changes nothing');
    const reopened = (await author.send('POST', `/${data.id}/reopen`)).data;
    assert.deepEqual([reopened.resolved_by, reopened.resolved_at, reopened.revision], [null, null, 4]);
    assert.equal((await editor.send('DELETE', `/${data.id}`)).status, 403);
    assert.deepEqual((await admin.send('DELETE', `/${data.id}`)).data, { id: data.id, deleted: true });
    assert.equal((await admin.send('DELETE', `/${data.id}`)).status, 404);
    const own = (await author.comment()).data;
    assert.equal((await author.send('DELETE', `/${own.id}`)).status, 200);
    assert.deepEqual(await audited('comment.deleted'), [[admin.id, data.id]], 'an own comment is nobody else’s business');
  });

  await t.test('are listed oldest first, and a resource has at most 500', async () => {
    const { user, campaign, account, parts } = await company();
    const author = await user('editor');
    const ids: string[] = [];
    for (const text of ['one', 'two', 'three']) ids.push((await author.comment({ text })).data.id);
    const first = await author.send('GET', `?resource_type=campaign&resource_id=${campaign}&limit=2`);
    const second = await author.send(
      'GET',
      `?resource_type=campaign&resource_id=${campaign}&limit=2&cursor=${first.data.pagination.next_cursor}`,
    );
    assert.deepEqual(
      [...first.data.items, ...second.data.items].map(({ id }: { id: string }) => id),
      ids,
    );
    const row = { account_id: account.id, resource_type: 'campaign', resource_id: campaign, author_id: author.id, created_at: new Date() };
    const many = Array.from({ length: 497 }, (_, index) => ({ ...row, _id: `many_${account.id}_${index}` }));
    await parts.mongo.db.collection<{ _id: string }>('comments').insertMany(many);
    const { status, error } = await author.comment();
    assert.deepEqual([status, error.code], [403, 'PLAN_LIMIT_EXCEEDED']);
    for (const text of ['', ' \n ', 'a\u0000b', 'x'.repeat(5_001)]) {
      const refused = await author.comment({ text });
      assert.deepEqual([refused.status, refused.error.details[0].path], [400, '/text']);
    }
  });

  await t.test('stay when their author leaves the account, by a former user', async () => {
    const { user } = await company();
    const [author, admin] = [await user('editor'), await user('admin')];
    const { data } = await author.comment({ mentions: [admin.id] });
    await admin.call('DELETE', `/v2/settings/users/${author.id}`);
    const { author_id, author_name, text } = (await admin.send('GET', `/${data.id}`)).data;
    assert.deepEqual([author_id, author_name, text], [author.id, 'Former user', data.text]);
    assert.equal((await admin.send('GET', '/mentions')).data.items[0].author_name, 'Former user');
  });
});
