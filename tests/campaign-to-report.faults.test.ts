import assert from 'node:assert/strict';
import { Resolver } from 'node:dns/promises';
import { test } from 'node:test';
import { serviceNames } from '@mp/contracts/services';
import { freePort } from '@mp/local-infra/free-port';
import { eventually } from '@mp/test-kit/eventually';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import nodemailer from 'nodemailer';
import PostalMime from 'postal-mime';
import { type Kind, ses, snsCertificate, topicArn } from '../services/campaigns/test/provider-fixtures.ts';
import { complaint, deliveryStatus } from '../services/campaigns/test/report-fixtures.ts';
import { startSmtpSink } from '../services/campaigns/test/smtp-sink.ts';
import type { Client } from './client.ts';
import { startDnsServer } from './dns-server.ts';
import { startPlatform } from './platform.ts';

/** In thousands of contacts; fewer on a busy machine. */
const people = 1_000 * Number(process.env.THOUSANDS ?? 5);
const samplePercent = 20;
const mailboxProviders = 4;
const browser = { 'user-agent': 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605.1' };
const from = { email: 'news@shop.example', name: 'Shop' };
const bounceDomain = 'bounces.platform.example';
const minute = 60_000;

/** What an idle machine sends in two seconds: how long a message may wait, in emails of the campaign, on a machine of any speed. */
const maxBetween = 600;

/** The recipients whose email is reported, by how the report arrives and what it says. */
const reported = { dsn: { bounced: 12 }, arf: { complained: 6 }, ses: { delivered: 30, bounced: 9, complained: 3 } };

const mjml = `<mjml><mj-body><mj-section><mj-column>
<mj-text>Hi {{ contact.first_name }}</mj-text>
<mj-button href="https://shop.example/offer">The offer</mj-button>
<mj-text><a href="https://shop.example/news">The news</a></mj-text>
</mj-column></mj-section></mj-body></mjml>`;

type Row = {
  id: string;
  contact_id: string;
  address: string;
  state: string;
  variant: string | null;
  message_id: string;
  [other: string]: unknown;
};

test('a sender verifies a domain, tests an email, lets an A/B test choose, and gets feedback on every email, while messages are sent immediately', async (t) => {
  const dns = await startDnsServer(t);
  const sink = await startSmtpSink(t);
  const bouncePort = await freePort();
  const platform = await startPlatform(t, {
    services: serviceNames.filter((name) => name !== 'campaigns'),
    env: {
      ...{ SMTP_URL: sink.url, REQUIRE_VERIFIED_SENDERS: 'true', SPF_INCLUDE: '_spf.platform.example' },
      ...{ BOUNCE_DOMAIN: bounceDomain, BOUNCE_PORT: String(bouncePort) },
      ...{ DNS_SERVER: dns.address, SNS_CERTIFICATE: snsCertificate },
    },
  });
  await platform.start('campaigns', 'tests/campaigns-on-loopback.ts');
  const client = await platform.client('--permission', 'read_write', '--account', 'shop');
  const ok = async (pending: ReturnType<Client['get']>) => {
    const { status, data, body } = await pending;
    assert.ok(status >= 200 && status < 300, `${status} ${JSON.stringify(body)}`);
    return data;
  };
  const mailTo = async (email: string, subject: RegExp) => {
    for (const { raw } of sink.to(email)) {
      const mail = await PostalMime.parse(raw);
      if (subject.test(mail.subject ?? '')) return { ...mail, raw };
    }
    return undefined;
  };
  const linksOf = (html = '') => [...html.matchAll(/href="([^"]+)"/g)].map(([, url = '']) => url).filter((url) => /\/t\//.test(url));

  for (let first = 0; first < people; first += 1_000) {
    const contacts = Array.from({ length: 1_000 }, (_, index) => ({
      email: `p${first + index}@mail${(first + index) % mailboxProviders}.example`,
      first_name: `Person ${first + index}`,
    }));
    await ok(client.post('/v2/contacts/batch', { contacts }));
  }

  const { id: templateId } = await eventually(async () => {
    const { status, data, body } = await client.post('/v2/campaigns/templates', { name: 'Offer', subject: 'Subject A', mjml });
    // A busy machine may not load the compiler of MJML in the time for one template.
    if (status !== 201) t.diagnostic(JSON.stringify(body));
    return status === 201 && data;
  }, 15 * minute);
  const campaign = await ok(
    client.post('/v2/campaigns', {
      ...{ name: 'Offer', from, template_id: templateId, audience: { include: ['all'] } },
      ab_test: {
        variants: [
          { weight: 50, subject: 'Subject A' },
          { weight: 50, subject: 'Subject B' },
        ],
        ...{ sample_percent: samplePercent, metric: 'clicks', duration_minutes: 1 },
      },
    }),
  );
  const path = `/v2/campaigns/${campaign.id}`;
  const read = () => ok(client.get(path));
  const report = (by?: string) => ok(client.get(`${path}/analytics${by ? `?by=${by}` : ''}`));
  const ledger = async (): Promise<Row[]> => {
    const rows: Row[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { items, pagination } = await ok(client.get(`${path}/ledger?limit=100${cursor && `&cursor=${cursor}`}`));
      rows.push(...items);
      cursor = pagination.next_cursor;
    }
    return rows;
  };

  await t.test(
    'nothing is sent before the DNS has the records of the domain, and a broken template is rejected with its line',
    async () => {
      const sender = await ok(client.post('/v2/campaigns/senders', { domain: 'shop.example' }));
      const unverified = await client.post(`${path}/send`);
      assert.deepEqual([unverified.status, unverified.error.details[0].code], [400, 'unverified_domain']);
      assert.equal((await ok(client.post(`/v2/campaigns/senders/${sender.id}/check`))).status, 'pending');
      for (const record of sender.records) dns.set(record);
      const checked = await ok(client.post(`/v2/campaigns/senders/${sender.id}/check`));
      assert.equal(checked.status, 'verified');
      assert.ok(checked.records.every(({ found }: { found: boolean }) => found));
      const broken = await client.put(`/v2/campaigns/templates/${templateId}`, { mjml: mjml.replace('mj-button', 'mj-botton') });
      assert.deepEqual([broken.status, broken.error.details[0].line], [400, 3]);
      assert.equal(sink.received.length, 0);
    },
  );

  await t.test('a test email arrives, signed with the key in the DNS, and is counted nowhere', async () => {
    await ok(client.post(`${path}/test`, { to: ['me@shop.example'], variant: 'b' }));
    const mail = await eventually(() => mailTo('me@shop.example', /^\[Test\] Subject B$/));
    const resolver = new Resolver();
    resolver.setServers([dns.address]);
    const { results } = await dkimVerify(mail.raw, {
      resolver: async (name: string, type: string) => (type === 'TXT' ? resolver.resolveTxt(name) : []),
    });
    assert.deepEqual([results[0]?.status.result, results[0]?.signingDomain], ['pass', 'shop.example']);
    assert.equal((await report()).counts.recipients, 0);
  });

  await ok(client.post(`${path}/send`));
  const messages = sendMessages(client);

  const clicked = { a: 15, b: 60 };
  const buyers = 10;
  await t.test('the sample gets the variants, the one with more clicks wins, and the rest of the audience gets it', async () => {
    await eventually(async () => typeof (await read()).ab_result?.sample_sent_at === 'string', 15 * minute);
    const { states } = (await ok(client.get(`${path}/ledger?limit=1`))).reconciliation;
    const sample = (await ledger()).filter(({ state }) => state === 'sent' || state === 'delivered');
    assert.ok(Math.abs(sample.length / people - samplePercent / 100) < 0.06, JSON.stringify(states));
    const clickers = (['a', 'b'] as const).flatMap((variant) => sample.filter((row) => row.variant === variant).slice(0, clicked[variant]));
    for (const [index, { address, variant }] of clickers.entries()) {
      const mail = await mailTo(address, variant === 'a' ? /^Subject A$/ : /^Subject B$/);
      const [offer, news] = linksOf(mail?.html);
      // Both links of one email would be a scanner's clicks.
      const link = index % 3 === 0 ? news : offer;
      const response = await fetch(link ?? '', { redirect: 'manual', headers: browser });
      assert.match(response.headers.get('location') ?? '', /^https:\/\/shop\.example\/(offer|news)$/);
    }
    for (const { contact_id } of clickers.slice(0, buyers))
      await ok(client.post('/v2/leadpulse/track', { event: 'bought', contact_id, value: { amount: 19.9, currency: 'EUR' } }));
    const { ab_result } = await eventually(async () => {
      const now = await read();
      return now.ab_result.winner !== null && now;
    }, 15 * minute);
    assert.deepEqual([ab_result.winner, ab_result.selected_by, ab_result.significance], ['b', 'metric', 'significant']);
    assert.deepEqual(
      ab_result.variants.map(({ successes }: { successes: number }) => successes),
      [clicked.a, clicked.b],
    );
    await eventually(async () => (await read()).status === 'sent', 15 * minute);
    const rows = await ledger();
    assert.equal(rows.length, people);
    for (const row of rows) assert.equal(sink.to(row.address).length, 1, row.address);
  });

  await t.test('messages of the API overtook the emails of the campaign', async (own) => {
    await messages.stop();
    const byArrival = sink.received.filter(({ to }) => !to.endsWith('@receipts.example')).map(({ at }) => at);
    const waits = await Promise.all(
      messages.sent.map(async ({ email, at }) => {
        const [received] = await eventually(async () => sink.to(email).length === 1 && sink.to(email));
        const until = received?.at ?? Number.POSITIVE_INFINITY;
        return { ms: until - at, overtaken: byArrival.filter((one) => one > at && one < until).length };
      }),
    );
    const ms = waits.map((wait) => wait.ms).sort((a, b) => a - b);
    const between = Math.max(...waits.map(({ overtaken }) => overtaken));
    const [median, slowest] = [ms[Math.floor(ms.length / 2)], ms.at(-1)];
    own.diagnostic(`${ms.length} messages: median ${median} ms, slowest ${slowest} ms, at most ${between} emails in between`);
    assert.ok(waits.length > 20, `${waits.length}`);
    assert.ok(between <= maxBetween, `${between} emails of the campaign arrived between a message and its request`);
  });

  await t.test('bounces, complaints and webhooks are recorded once, and every number of the report equals the ledger', async () => {
    const transport = nodemailer.createTransport({ host: '127.0.0.1', port: bouncePort, ignoreTLS: true });
    t.after(() => transport.close());
    const { webhook_url: webhook } = await ok(client.post('/v2/campaigns/providers', { name: 'SES', kind: 'ses', topic_arn: topicArn }));
    const untouched = (await ledger()).filter(({ state }) => state === 'sent');
    const take = (count: number) => untouched.splice(0, count);
    const repeated = async (report: () => Promise<unknown>) => {
      for (const _ of [1, 2]) await report();
    };
    for (const { address } of take(reported.dsn.bounced)) {
      const to = sink.to(address)[0]?.from ?? '';
      assert.match(to, /@bounces\.shop\.example$/);
      const raw = deliveryStatus({ to, action: 'failed', status: '5.1.1', diagnostic: 'smtp; 550 5.1.1 unknown' });
      await repeated(() => transport.sendMail({ envelope: { from: '', to }, raw }));
    }
    for (const { address } of take(reported.arf.complained)) {
      const original = sink.to(address)[0]?.raw.toString('utf8').split('\r\n\r\n')[0] ?? '';
      const raw = complaint({ original, type: 'abuse' });
      await repeated(() => transport.sendMail({ envelope: { from: '', to: `complaints@${bounceDomain}` }, raw }));
    }
    for (const [kind, count] of Object.entries(reported.ses))
      for (const { id, message_id } of take(count)) {
        assert.ok(isKind(kind));
        const { body, headers } = ses({ kind, messageId: message_id, recipientId: id, id: `ses-${id}`, at: new Date() });
        await repeated(async () => assert.equal((await fetch(webhook, { method: 'POST', body, headers })).status, 200));
      }

    const bounced = reported.dsn.bounced + reported.ses.bounced;
    const complained = reported.arf.complained + reported.ses.complained;
    const clicks = clicked.a + clicked.b;
    const { counts } = await eventually(async () => {
      const now = await report();
      return now.counts.bounced + now.counts.complained === bounced + complained && now.counts.conversions === buyers && now;
    }, 15 * minute);
    assert.deepEqual([counts.recipients, counts.waiting, counts.bounced, counts.complained], [people, 0, bounced, complained]);
    assert.equal(counts.delivered, reported.ses.delivered + clicks);
    assert.deepEqual([counts.clicked.unique.human, counts.converted, counts.revenue], [clicks, buyers, [{ currency: 'EUR', amount: 199 }]]);

    const rows = await ledger();
    const { reconciliation } = await ok(client.get(`${path}/ledger?limit=1`));
    assert.deepEqual([reconciliation.sum, reconciliation.reconciles], [people, true]);
    for (const state of ['sent', 'delivered', 'bounced', 'complained'] as const) {
      const inState = rows.filter((row) => row.state === state);
      assert.deepEqual([counts[state], reconciliation.states[state]], [inState.length, inState.length], state);
      for (const by of ['domain', 'variant'] as const) {
        const { breakdown } = await report(by);
        for (const item of breakdown) {
          const those = inState.filter(({ address, variant }) =>
            by === 'domain' ? address.endsWith(`@${item.domain}`) : variant === item.variant,
          );
          assert.equal(item.counts[state], those.length, `${state} of ${item.domain ?? item.variant}`);
        }
      }
    }
    const clicksBy = async (by: string) => {
      const { breakdown } = await report(by);
      return breakdown.map(({ clicked: { unique } }: { clicked: { unique: { human: number } } }) => unique.human);
    };
    const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
    assert.equal((await clicksBy('domain')).length, mailboxProviders);
    for (const by of ['link', 'domain', 'hour', 'variant']) assert.equal(sum(await clicksBy(by)), clicks, by);
    const { breakdown: links } = await report('link');
    const urls = links.map(({ url, clicked: { unique } }: { url: string; clicked: { unique: { human: number } } }) => [url, unique.human]);
    const byUrl = Map.groupBy(urls, ([url]: [string, number]) => url);
    const clicksOn = (url: string) => sum((byUrl.get(url) ?? []).map(([, count]: [string, number]) => count));
    assert.deepEqual([clicksOn('https://shop.example/news'), clicksOn('https://shop.example/offer')], [clicks / 3, (clicks / 3) * 2]);
  });
});

const isKind = (kind: string): kind is Kind => kind in reported.ses;

/** Sends a message five times a second until it is stopped. */
function sendMessages(client: Client) {
  const sent: { email: string; at: number }[] = [];
  let stopped = false;
  const content = { subject: 'Receipt', text: 'Thank you.' };
  const running = (async () => {
    for (let index = 0; !stopped; index += 1) {
      const email = `buyer${index}@receipts.example`;
      const at = Date.now();
      const { status, body } = await client.post('/v2/campaigns/messages', { from, content, to: { email }, category: 'transactional' });
      assert.equal(status, 202, JSON.stringify(body));
      sent.push({ email, at });
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  return {
    sent,
    stop: () => {
      stopped = true;
      return running;
    },
  };
}
