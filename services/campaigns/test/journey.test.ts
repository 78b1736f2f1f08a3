import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageClicked, MessageOpened, MessageSent, MessageUnsubscribed } from '@mp/contracts/events/campaigns';
import { eventually } from '@mp/test-kit/eventually';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { subscribed } from './neighbours.ts';
import { account, reconciliation, sendCampaign, startSetting, untilStatus } from './setting.ts';

test('a campaign from draft to unsubscription', async (t) => {
  const { app, neighbours, sink } = await startSetting(t);
  const events = await listenToEvents(t);
  const owner = account(app);
  const ada = neighbours.contact(owner.accountId, { email: 'ada@example.com', first_name: 'Ada <script>alert(1)</script>' });
  neighbours.contact(owner.accountId, { email: null });
  neighbours.contact(owner.accountId, { email: 'bo@example.com', consent: { email: null, sms: null } });
  const left = { ...subscribed(), email: { status: 'unsubscribed' as const, at: '2026-01-01T00:00:00.000Z', method: 'api' as const } };
  const cy = neighbours.contact(owner.accountId, { email: 'cy@example.com', consent: left });
  const vip = neighbours.contact(owner.accountId, { email: 'vip@example.com' });
  const html = '<p>Hi {{ contact.first_name }} <a href="https://example.com/a?x=1&amp;y={{ contact.email | url_encode }}">shop</a></p>';

  const id = await sendCampaign(owner, { html, audience: { include: ['all'], exclude: [neighbours.segment(owner.accountId, [vip])] } });
  await untilStatus(owner, id, 'sent');

  await t.test('emails the eligible contacts and gives the reason for all others', async () => {
    assert.deepEqual(
      sink.received.map(({ to }) => to),
      ['ada@example.com'],
    );
    const ledger = (await owner.get(`/v2/campaigns/${id}/ledger`)).data;
    const reasons = new Map(ledger.items.map((row: { contact_id: string; reason: string }) => [row.contact_id, row.reason]));
    assert.deepEqual([reasons.get(ada.id), reasons.get(cy.id), reasons.get(vip.id)], [null, 'unsubscribed', 'excluded']);
    assert.deepEqual([...reasons.values()].sort(), ['excluded', 'no_address', 'pending_opt_in', 'unsubscribed', null].sort());
    assert.deepEqual([ledger.reconciliation.audience_count, ledger.reconciliation.sum, ledger.reconciliation.reconciles], [5, 5, true]);
    const story = (await owner.get(`/v2/campaigns/${id}/messages/${cy.id}`)).data;
    assert.match(story.explanation, /had unsubscribed/);
  });

  const mail = await sink.mailTo('ada@example.com');
  const header = (name: string) => mail?.headers.find(({ key }) => key === name)?.value ?? '';
  const pathOf = (url: string) => new URL(url).pathname;

  await t.test('sends the headers that mailbox providers require, and inert HTML', async () => {
    assert.equal(header('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
    assert.match(header('list-unsubscribe'), /^<http:\/\/mail\.test\/t\/[\w.-]+>$/);
    assert.match(header('list-id'), /^<campaign\.[0-9a-z]{26}\.mail\.test>$/);
    assert.match(header('feedback-id'), new RegExp(`^${id}:${owner.accountId}:campaign:mp$`));
    assert.match(header('message-id'), /^<recipient\.[0-9a-z]{26}@example\.com>$/);
    assert.equal(mail?.subject, 'Hi Ada <script>alert(1)</script>');
    assert.ok(mail?.html?.includes('&lt;script&gt;') && !mail.html.includes('<script>'));
    assert.match(mail?.text ?? '', /Hi Ada/);
    assert.ok(!`${mail?.html}${header('list-unsubscribe')}`.includes(ada.id), 'no link contains the contact ID');
    const sent = await events.next(MessageSent, ({ data }) => data.contact_id === ada.id);
    assert.equal(sent.data.campaign_id, id);
  });

  await t.test('records opens and clicks, separately from machines, and redirects only to targets of the campaign', async () => {
    const [, click = ''] = /href="(http:\/\/mail\.test\/t\/c[^"]+)"/.exec(mail?.html ?? '') ?? [];
    const [, open = ''] = /src="(http:\/\/mail\.test\/t\/o[^"]+)"/.exec(mail?.html ?? '') ?? [];
    const robot = await app.inject({ method: 'GET', url: pathOf(click), headers: { 'user-agent': 'Barracuda Sentinel' } });
    assert.deepEqual([robot.statusCode, robot.headers.location], [302, 'https://example.com/a?x=1&y=ada%40example.com']);
    const hasty = await events.next(MessageClicked, ({ data }) => data.contact_id === ada.id);
    assert.deepEqual([hasty.data.machine, hasty.data.url], [true, 'https://example.com/a?x=1&y=ada%40example.com']);
    const image = await app.inject({ method: 'GET', url: pathOf(open), headers: { 'user-agent': 'Mozilla/5.0 (X11)' } });
    assert.deepEqual([image.statusCode, image.headers['content-type']], [200, 'image/gif']);
    assert.equal((await events.next(MessageOpened, ({ data }) => data.contact_id === ada.id)).data.machine, false);
    const counts = await eventually(async () => {
      const { data } = await owner.get(`/v2/campaigns/${id}/analytics`);
      return data.counts.opened.unique.human === 1 && data.counts.clicked.total.machine === 1 && data;
    });
    const [link] = (await owner.get(`/v2/campaigns/${id}/analytics?by=link`)).data.breakdown;
    assert.deepEqual([link.link, link.hour, link.clicked.total], [0, null, { human: 0, machine: 1 }]);
    const hours = (await owner.get(`/v2/campaigns/${id}/analytics?by=hour`)).data.breakdown;
    assert.match(hours.at(-1).hour, /^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/);
    assert.equal(counts.breakdown, undefined);
    assert.equal((await owner.get(`/v2/campaigns/${id}/analytics?by=moon`)).status, 400);
    assert.deepEqual(counts.rates.open.value, 1);
    assert.deepEqual([counts.rates.open.numerator, counts.rates.open.denominator, counts.rates.click.value], [1, 1, 0]);
    for (const forged of [`${pathOf(click)}x`, '/t/abc', `${pathOf(click).replace('/t/c', '/t/u')}`]) {
      assert.equal((await app.inject({ method: 'GET', url: forged })).statusCode, 404);
    }
  });

  await t.test('unsubscribes with one click, immediately and only once, and never by GET', async () => {
    const url = pathOf(header('list-unsubscribe').slice(1, -1));
    const page = await app.inject({ method: 'GET', url });
    assert.equal(page.statusCode, 200);
    assert.match(page.payload, /<form method="post">/);
    assert.match(String(page.headers['content-security-policy']), /default-src 'none'/);
    for (let time = 0; time < 3; time += 1) {
      const done = await app.inject({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: 'List-Unsubscribe=One-Click',
      });
      assert.equal(done.statusCode, 200);
    }
    const event = await events.next(MessageUnsubscribed, ({ data }) => data.contact_id === ada.id);
    assert.equal(event.data.channel, 'email');
    const next = await sendCampaign(owner);
    await untilStatus(owner, next, 'sent');
    assert.equal((await owner.get(`/v2/campaigns/${next}/messages/${ada.id}`)).data.recipient.reason, 'unsubscribed');
    assert.equal(events.count(MessageUnsubscribed), 1);
    assert.equal((await reconciliation(owner, next)).reconciles, true);
  });
});
