import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { ApiError, MarketingPlatform } from '@marketing-platform/sdk';
import { eventually } from '@mp/test-kit/eventually';
import { allowApplication } from './allow-application.ts';
import { signInUser } from './documentation/sign-in-user.ts';
import { startMailSink } from './mail-sink.ts';
import { startPlatform } from './platform.ts';

const redirect_uri = 'http://127.0.0.1/callback';

test('an application with the SDK sends nothing that the role of its user may not send', async (t) => {
  const sink = await startMailSink(t);
  const platform = await startPlatform(t, { env: { SMTP_URL: sink.url } });
  const { key: apiKey = '', ...admin } = await platform.client('--permission', 'admin', '--account', 'limits');
  const owner = new MarketingPlatform({ apiKey, baseUrl: platform.url });

  const scopes = ['contacts', 'segments', 'campaigns', 'workflows'].flatMap((noun) => [`${noun}:read`, `${noun}:write`]);
  const limits = { sending_limits: { topics: ['news'], senders: ['news@example.com'] } };
  const role = { name: 'Newsletter', scopes: [...scopes, 'campaigns:send', 'workflows:activate'], ...limits };
  const { data: made } = await admin.post('/v2/settings/roles', role);
  const { data: invited } = await admin.post('/v2/settings/users', { email: 'ada@example.com', role: made.id });
  const onDevice = { name: 'App', permission: 'read_write', redirect_uris: [redirect_uri], confidential: false };
  const { data: client } = await admin.post('/v2/settings/oauth-clients', onDevice);
  const verifier = randomBytes(32).toString('base64url');
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  const query = { client_id: client.id, redirect_uri, response_type: 'code', code_challenge, code_challenge_method: 'S256' };
  const headers = await signInUser(invited.invitation_url);
  const redirectTo = await allowApplication(`${platform.url}/oauth/authorize?${new URLSearchParams(query)}`, headers);
  const code = new URL(redirectTo).searchParams.get('code') ?? '';
  const exchange = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri, client_id: client.id } as const;
  const { access_token } = await owner.oauth.createToken(exchange);
  const mp = new MarketingPlatform({ apiKey: access_token, baseUrl: platform.url });

  const contact = await owner.contacts.create({ email: 'reader@example.com', consent: { email: { status: 'subscribed' } } });
  const to = 'reader@example.com';
  const ceo = { email: 'ceo@example.com' };
  const content = { subject: 'Secret plans', html: '<p>Hi</p>' };
  const draft = (body: object = {}) =>
    mp.campaigns.create({ name: 'Plans', ...content, from: ceo, topic: 'news', audience: { include: ['all'] }, ...body });
  const steps = [{ id: 'mail', type: 'send' as const, ...content, from: ceo }];
  const workflow = { name: 'Plans', trigger: { type: 'manual' as const }, steps };
  const active = await owner.workflows.create({ ...workflow, status: 'active' });
  const schedule_at = new Date(Date.now() + 3_600_000).toISOString();
  const [foreign, offers] = [await draft(), await draft({ from: { email: 'news@example.com' }, topic: 'offers' })];
  const waiting = await draft();
  await owner.campaigns.send(waiting.id, { schedule_at });

  const attempts: Record<string, () => Promise<unknown>> = {
    'send a campaign': () => mp.campaigns.send(foreign.id),
    'send one about another topic': () => mp.campaigns.send(offers.id),
    'schedule it': () => mp.campaigns.send(foreign.id, { schedule_at }),
    'send a scheduled one earlier': () => mp.campaigns.update(waiting.id, { schedule_at: new Date(Date.now() + 60_000).toISOString() }),
    'send a test of it': () => mp.campaigns.test(foreign.id, { to: [to] }),
    'send a test of an unsaved email': () => mp.campaigns.testContent({ to: [to], from: ceo, content }),
    'send a message': () => mp.campaigns.messages.send({ to: { email: to }, from: ceo, content }),
    'create an active workflow': () => mp.workflows.create({ ...workflow, status: 'active' }),
    'activate a draft': async () => mp.workflows.activate((await mp.workflows.create({ ...workflow, status: 'draft' })).id),
    'change an active workflow': () =>
      mp.workflows.update(active.id, { steps: steps.map((step) => ({ ...step, subject: 'Other plans' })) }),
    'start a run': () => mp.workflows.trigger(active.id, { contact_id: contact.id }),
    'start runs of many': () =>
      mp.contacts.bulk.createJob({ select: { ids: [contact.id] }, action: 'start_workflow', workflow_id: active.id }),
  };
  for (const [title, attempt] of Object.entries(attempts))
    await t.test(`it cannot ${title}`, () =>
      assert.rejects(attempt, (error) => error instanceof ApiError && error.status === 403 && error.code === 'FORBIDDEN'),
    );

  await t.test('previews, dry runs and simulations show what it may read, and send nothing', async () => {
    assert.match((await mp.campaigns.preview(foreign.id)).html, /Hi/);
    assert.equal((await mp.campaigns.dryRun(foreign.id)).audience_count, 1);
    await mp.workflows.simulate(active.id, { contact_id: contact.id });
  });

  await t.test('the first email to arrive is one that it may send', async () => {
    const own = await draft({ subject: 'News', from: { email: 'news@example.com' } });
    await mp.campaigns.send(own.id);
    await eventually(async () => sink.to(to).length > 0);
    assert.deepEqual(
      sink.to(to).map(({ subject }) => subject),
      ['News'],
    );
  });
});
