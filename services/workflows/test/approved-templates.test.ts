import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SendEffectRequested } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import type { Client } from '@mp/test-kit/client';
import { liveService } from './live-service.ts';
import { mail } from './setting.ts';

test('an approved workflow sends the templates that were approved', async (t) => {
  const { account, contact, ended, events, play, trigger } = await liveService(t);
  const user = () => account.as({ principal_id: newId('user'), permission: 'admin' });
  const [ada, bea] = [user(), user()];
  const template = (version = 1) => {
    const id = newId('template');
    play.templates.set(id, { subject: 'Hi', preview_text: null, html: '<p>Hi</p>', text: null });
    play.templateVersions.set(id, version);
    return id;
  };
  const requireApproval = async (approval: 'always' | 'off') =>
    assert.equal((await ada.put('/v2/workflows/settings', { approval })).status, 200);
  const ofVariant = template(7);
  const variants = [
    { name: 'A', weight: 50 },
    { name: 'B', weight: 50, template_id: ofVariant },
  ];
  const draft = async (template_id: string) => {
    const send = { type: 'send', from: mail.from, template_id };
    const steps = [
      { ...send, id: 'hi', next: 'test' },
      { ...send, id: 'test', variants },
    ];
    const { data, text } = await ada.post('/v2/workflows', { name: 'Hi', trigger: { type: 'manual' }, steps, status: 'draft' });
    assert.ok(data, text);
    return `/v2/workflows/${data.id}`;
  };
  const activate = async (url: string) => (await ada.post(`${url}/activate`)).data;
  const approve = async (url: string, client: Client = bea) => {
    const { revision } = (await client.get(url)).data;
    const { status, text } = await client.post(`${url}/approve`, { revision });
    assert.equal(status, 200, text);
  };
  const start = async (url: string) => trigger(url.split('/').at(-1) ?? '', await contact());
  const keys: string[] = [];
  const sent = async (runId: string) => {
    const isNext = (data: { run_id: string; step_id?: string | undefined; effect_key: string }) =>
      data.run_id === runId && data.step_id === 'hi' && !keys.includes(data.effect_key);
    const { effect_key, message } = (await events.next(SendEffectRequested, ({ data }) => isNext(data))).data;
    keys.push(effect_key);
    return { template_id: message.template_id, version: message.template_version };
  };
  const sentVersion = async (url: string) => (await sent(await start(url))).version;

  await t.test('in the versions that the request names, whatever is edited before and after the approval', async () => {
    await requireApproval('always');
    const id = template();
    const url = await draft(id);
    assert.equal((await activate(url)).status, 'awaiting_approval');
    play.templateVersions.set(id, 2);
    const { templates } = (await bea.get(`${url}/approval`)).data;
    assert.deepEqual(
      templates,
      [
        { template_id: id, version: 1 },
        { template_id: ofVariant, version: 7 },
      ].toSorted((a, b) => (a.template_id < b.template_id ? -1 : 1)),
    );
    await approve(url);
    assert.equal(await sentVersion(url), 1);
    play.templateVersions.set(id, 3);
    assert.equal(await sentVersion(url), 1);
  });

  await t.test('activated again, it needs approval if a template has changed, which the changes show, and otherwise not', async () => {
    const id = template();
    const url = await draft(id);
    await activate(url);
    await approve(url);
    await ada.post(`${url}/pause`);
    assert.equal((await activate(url)).status, 'active');
    await ada.post(`${url}/pause`);
    play.templateVersions.set(id, 2);
    assert.equal((await activate(url)).status, 'awaiting_approval');
    const { changes } = (await bea.get(`${url}/approval`)).data;
    assert.deepEqual(
      changes.map(({ field }: { field: string }) => field),
      ['templates'],
    );
    await approve(url);
    assert.equal(await sentVersion(url), 2);
  });

  await t.test('for runs of an earlier approval, too; and in the current version while no approval is required', async () => {
    const [first, second] = [template(), template()];
    const url = await draft(first);
    await activate(url);
    await approve(url);
    const earlier = await start(url);
    await sent(earlier);
    await ended(earlier);
    await ada.post(`${url}/pause`);
    await ada.put(url, { steps: [{ id: 'hi', type: 'send', from: mail.from, template_id: second }] });
    await activate(url);
    await approve(url);
    play.templateVersions.set(first, 2);
    await ada.post(`/v2/workflows/runs/${earlier}/rerun-from`, { step_id: 'hi' });
    assert.deepEqual(await sent(earlier), { template_id: first, version: 1 });
    assert.equal(await sentVersion(url), 1);
    await requireApproval('off');
    assert.equal(await sentVersion(url), undefined);
  });
});
