import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { account, routesOnly, smallest, startSetting, untilStatus } from './setting.ts';

type Warning = { code: string; message: string };

const days = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString();
const consent = (age: number) => ({ email: { status: 'subscribed' as const, method: 'import' as const, at: days(age) }, sms: null });

test('the first email to recipients whose consent is older than a year warns, and the next does not', async (t) => {
  const { app, neighbours } = await startSetting(t);
  const owner = account(app);
  const ages = [400, 366, 800, 364, 30];
  neighbours.contacts(owner.accountId, ages.length, (index) => ({
    ...{ email: `old${index}@consent.example`, consent: consent(ages[index] ?? 0) },
  }));
  const make = async (body: object = {}) => (await owner.post('/v2/campaigns', { ...smallest, html: '<p>Hi</p>', ...body })).data.id;
  const old = (warnings: Warning[]) => warnings.filter(({ code }) => code === 'old_consent').map(({ message }) => message);
  const first = await make();
  const dry = (await owner.post(`/v2/campaigns/${first}/dry-run`)).data;
  assert.match(old(dry.warnings)[0] ?? '', /^3 recipients gave consent more than a year ago and got no email from this account since/);
  const sent = (await owner.post(`/v2/campaigns/${first}/send`)).data;
  assert.deepEqual(old(sent.warnings), old(dry.warnings));
  await untilStatus(owner, first, 'sent');
  const second = await make();
  assert.deepEqual(old((await owner.post(`/v2/campaigns/${second}/dry-run`)).data.warnings), []);
  assert.deepEqual(old((await owner.post(`/v2/campaigns/${second}/send`)).data.warnings), []);
});

test('consent for the topic of a campaign counts by its own date, and contacts that are not emailed are not counted', async (t) => {
  const { app, neighbours } = await startSetting(t);
  const owner = account(app);
  neighbours.contacts(owner.accountId, 3, (index) => ({
    email: `topic${index}@consent.example`,
    consent:
      index === 0
        ? { ...consent(800), topics: { news: { email: consent(10).email, sms: null } } }
        : index === 1
          ? consent(800)
          : { email: { ...consent(800).email, status: 'unsubscribed' as const }, sms: null },
  }));
  const { id } = (await owner.post('/v2/campaigns', { ...smallest, html: '<p>Hi</p>', topic: 'news' })).data;
  const { warnings } = (await owner.post(`/v2/campaigns/${id}/dry-run`)).data;
  assert.match(warnings.find(({ code }: Warning) => code === 'old_consent')?.message ?? '', /^1 recipient gave consent/);
});

test('a send is accepted while contacts and segments are unavailable, without this warning', async (t) => {
  const { app } = await testService(t, await testParts(t, 'campaigns'), routesOnly());
  const owner = testClient(app);
  const { id } = (await owner.post('/v2/campaigns', smallest)).data;
  const sent = await owner.post(`/v2/campaigns/${id}/send`);
  assert.equal(sent.status, 202, sent.text);
  assert.deepEqual(
    sent.data.warnings.filter(({ code }: Warning) => code === 'old_consent'),
    [],
  );
});
