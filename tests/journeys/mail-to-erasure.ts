import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { startMailSink } from '../mail-sink.ts';
import type { Platform } from '../platform.ts';

const from = { email: 'news@example.com', name: 'News' };
const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0' };

type MailSink = Awaited<ReturnType<typeof startMailSink>>;

/** The whole life cycle of a contact, as the customer and the contact see it. */
export async function mailToErasure(t: TestContext, platform: Platform, sink: MailSink) {
  const client = await platform.client('--permission', 'read_write', '--account', 'journey');
  const ok = async (pending: ReturnType<typeof client.get>) => {
    const { status, data, body } = await pending;
    assert.ok(status >= 200 && status < 300, `${status} ${JSON.stringify(body)}`);
    return data;
  };
  const create = (email: string, city: string) =>
    ok(client.post('/v2/contacts', { email, first_name: email.slice(0, 3), address: { city } }));
  const mailTo = (email: string, subject: RegExp) =>
    eventually(async () => sink.to(email).find((mail) => subject.test(mail.subject ?? '')));
  const linkIn = (html: string | undefined, pattern: RegExp) => {
    const link = [...(html ?? '').matchAll(/href="([^"]+)"/g)]
      .map(([, url = '']) => url.replaceAll('&amp;', '&'))
      .find((url) => pattern.test(url));
    assert.ok(link, `no link like ${pattern} in ${html}`);
    return link;
  };

  await create('bo@journey.example', 'Bonn');
  const berlin = await ok(
    client.post('/v2/segments', { name: 'Berlin', definition: { all: [{ field: 'address.city', op: 'eq', value: 'Berlin' }] } }),
  );
  const clickers = await ok(client.post('/v2/segments', { name: 'Clickers', definition: { campaign: 'any', activity: 'clicked' } }));
  const isMember = async (segmentId: string, contactId: string) => {
    const { items } = await ok(client.get(`/v2/segments/${segmentId}/contacts`));
    return items.some(({ id }: { id: string }) => id === contactId);
  };
  const workflow = await ok(
    client.post('/v2/workflows', {
      name: 'Welcome',
      trigger: { type: 'segment_entered', segment_id: berlin.id },
      steps: [
        { id: 'wait', type: 'delay', for: 'PT1S', next: 'mail' },
        {
          id: 'mail',
          type: 'send',
          subject: 'Welcome {{ contact.first_name }}',
          from,
          html: '<p>Hi {{ contact.first_name }}, <a href="https://example.com/start">start</a></p>',
        },
      ],
    }),
  );
  const ada = await create('ada@journey.example', 'Berlin');

  await t.test('a contact that enters the segment gets the email of the workflow once, after the delay', async () => {
    await eventually(() => isMember(berlin.id, ada.id));
    const mail = await mailTo('ada@journey.example', /^Welcome ada$/);
    assert.match(mail.text ?? '', /Hi ada/);
    const run = await eventually(async () => {
      const { items } = await ok(client.get(`/v2/workflows/${workflow.id}/runs`));
      return items.find(({ contact_id, state }: { contact_id: string; state: string }) => contact_id === ada.id && state === 'completed');
    });
    assert.equal((await ok(client.get(`/v2/workflows/runs/${run.id}`))).contact_id, ada.id);
    assert.equal(sink.to('bo@journey.example').length, 0);
  });

  const campaign = await ok(
    client.post('/v2/campaigns', {
      name: 'Hello',
      subject: 'Hi {{ contact.first_name }}',
      from,
      html: '<p>Hi <a href="https://example.com/offer?a=1&amp;b=2">the offer</a></p>',
      audience: { include: [berlin.id] },
    }),
  );
  assert.equal(campaign.status, 'draft');
  await ok(client.post(`/v2/campaigns/${campaign.id}/send`));
  const mail = await mailTo('ada@journey.example', /^Hi ada$/);

  await t.test('a sent campaign cannot be sent again', async () => {
    await eventually(async () => (await ok(client.get(`/v2/campaigns/${campaign.id}`))).status === 'sent');
    const again = await client.post(`/v2/campaigns/${campaign.id}/send`);
    assert.deepEqual([again.status, again.error.code], [409, 'INVALID_STATE']);
  });

  await t.test('a click redirects to its URL, counts in the analytics and adds the contact to the segment of clickers', async () => {
    const link = linkIn(mail.html, /\/t\//);
    // Repeated until the click is late enough after the email to count as human.
    await eventually(async () => {
      const response = await fetch(link, { redirect: 'manual', headers: browser });
      assert.equal(response.headers.get('location'), 'https://example.com/offer?a=1&b=2');
      return (await ok(client.get(`/v2/campaigns/${campaign.id}/analytics`))).counts.clicked.unique.human === 1;
    });
    const { rates } = await ok(client.get(`/v2/campaigns/${campaign.id}/analytics`));
    assert.deepEqual([rates.click.numerator, rates.click.denominator, rates.click.value], [1, 1, 1]);
    await eventually(() => isMember(clickers.id, ada.id));
  });

  await t.test('the one-click unsubscribe POST of an email client takes effect', async () => {
    const header = mail.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
    const url = /<(https?:[^>]+)>/.exec(header)?.[1] ?? '';
    const unsubscribed = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });
    assert.equal(unsubscribed.status, 200);
    await eventually(async () => (await ok(client.get(`/v2/contacts/${ada.id}`))).status === 'unsubscribed');
  });

  await t.test('the next campaign skips the contact with a reason, and its ledger adds up', async () => {
    await create('cy@journey.example', 'Berlin');
    const next = await ok(
      client.post('/v2/campaigns', { name: 'Again', subject: 'Again', from, html: '<p>Again</p>', audience: { include: ['all'] } }),
    );
    await ok(client.post(`/v2/campaigns/${next.id}/send`));
    await eventually(async () => (await ok(client.get(`/v2/campaigns/${next.id}`))).status === 'sent');
    const message = await ok(client.get(`/v2/campaigns/${next.id}/messages/${ada.id}`));
    assert.deepEqual([message.recipient.state, message.recipient.reason], ['skipped', 'unsubscribed']);
    const { reconciliation } = await ok(client.get(`/v2/campaigns/${next.id}/ledger`));
    assert.deepEqual([reconciliation.audience_count, reconciliation.sum, reconciliation.reconciles], [3, 3, true]);
    assert.equal(sink.to('ada@journey.example').filter(({ subject }) => subject === 'Again').length, 0);
    assert.equal(sink.to('bo@journey.example').filter(({ subject }) => subject === 'Again').length, 1);
  });

  await t.test('a merge removes the contact from its segments, and undoing it restores the contact everywhere', async () => {
    const bo = (await ok(client.get('/v2/contacts?email=bo@journey.example'))).items[0];
    await ok(client.post('/v2/leadpulse/track', { event: 'seen', visitor_id: 'v-ada', contact_id: ada.id }));
    const visitors = async () => (await ok(client.get(`/v2/leadpulse/visitors?contact_id=${ada.id}`))).items.length;
    await eventually(async () => (await visitors()) === 1);
    const { merge_id } = await ok(client.post(`/v2/contacts/${bo.id}/merge`, { source_id: ada.id }));
    await eventually(async () => !(await isMember(clickers.id, ada.id)));
    await ok(client.post(`/v2/contacts/${bo.id}/merges/${merge_id}/undo`));
    await eventually(() => isMember(clickers.id, ada.id));
    assert.equal(await visitors(), 1);
  });

  await t.test('every service with data of the contact confirms its erasure', async () => {
    const { id } = await ok(client.post(`/v2/contacts/${ada.id}/erase`));
    const erasure = await eventually(async () => {
      const found = await ok(client.get(`/v2/contacts/erasures/${id}`));
      return found.status === 'completed' && found;
    });
    const { segments, campaigns, leadpulse, workflows } = erasure.receipts;
    assert.ok(segments.removed.activities > 0 && segments.removed.memberships > 0, JSON.stringify(segments));
    assert.deepEqual([leadpulse.removed.visitors, leadpulse.removed.events], [1, 1]);
    assert.ok(campaigns.removed.recipients > 0 && workflows.removed.runs > 0, JSON.stringify({ campaigns, workflows }));
    assert.deepEqual((await ok(client.get(`/v2/leadpulse/visitors?contact_id=${ada.id}`))).items, []);
    const admin = await platform.client('--permission', 'admin', '--account', 'journey');
    const entry = await eventually(async () => (await ok(admin.get(`/v2/settings/audit-log?target_id=${ada.id}`))).items[0]);
    assert.deepEqual([entry.action, entry.details.erasure_id], ['contact.erased', id]);
  });
}
