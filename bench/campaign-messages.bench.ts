import { pause } from '@mp/service-kit/backoff';
import { recipientsOf } from '../services/campaigns/src/ledger/recipients/recipient-row.ts';
import { connections, html, subscribers, withCampaigns } from './campaigns/campaigns-service.ts';
import { startMailServer, watchedDomain } from './campaigns/mail-server.ts';
import { quantile, summary } from './compare.ts';
import { writeResults } from './contacts-results.ts';

/**
 * From the request for a message to its arrival at the mail server, while a campaign is paused and while it is sending.
 * BENCH_EMAILS=5000, BENCH_SECONDS=2 and BENCH_ROUNDS=1 for a short run.
 */
const emails = Number(process.env.BENCH_EMAILS ?? 100_000);
const seconds = Number(process.env.BENCH_SECONDS ?? 20);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const perSecond = 20;

const server = await startMailServer();

await withCampaigns({ people: subscribers(emails), smtpUrl: server.url, live: true }, async ({ parts, call, send }) => {
  const arrivals = new Map<string, number>();
  server.watch((to, at) => arrivals.set(to, at));
  let sent = 0;

  async function message(to: string) {
    const begun = performance.timeOrigin + performance.now();
    await call('POST', '/v2/campaigns/messages', {
      to: { email: to },
      from: { email: 'shop@example.com' },
      content: { subject: 'Your order', html: '<p>Thank you for order {{ data.number }}.</p>' },
      data: { number: to },
    });
    return { to, begun };
  }

  /** The milliseconds until the arrival of each of the messages that are requested at a constant rate. */
  async function delays(): Promise<number[]> {
    const begun = performance.now();
    const requested: ReturnType<typeof message>[] = [];
    for (let index = 0; index < seconds * perSecond; index += 1) {
      const early = begun + (index * 1_000) / perSecond - performance.now();
      if (early > 0) await pause(early);
      sent += 1;
      requested.push(message(`m${sent}@${watchedDomain}`));
    }
    const messages = await Promise.all(requested);
    while (messages.some(({ to }) => !arrivals.has(to))) await pause(20);
    return messages.map(({ to, begun: from }) => (arrivals.get(to) ?? Number.NaN) - from).sort((a, b) => a - b);
  }

  const id = await send();
  const sentSoFar = () => recipientsOf(parts.mongo.db).countDocuments({ source_id: id, state: 'sent' });
  const status = async (): Promise<string> => (await call('GET', `/v2/campaigns/${id}`)).status;
  while ((await status()) !== 'sending') await pause(50);
  const all = { paused: [] as number[][], sending: [] as number[][] };
  const rates: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    await call('POST', `/v2/campaigns/${id}/pause`, {});
    await pause(1_000);
    const idle = await delays();
    await call('POST', `/v2/campaigns/${id}/resume`, {});
    await pause(1_000);
    const [from, before] = [performance.now(), await sentSoFar()];
    const busy = await delays();
    const rate = ((await sentSoFar()) - before) / ((performance.now() - from) / 1_000);
    if ((await status()) !== 'sending') throw new Error('The campaign ended while it was measured; set a larger BENCH_EMAILS.');
    if (round === 0) continue;
    all.paused.push(idle);
    all.sending.push(busy);
    rates.push(rate);
  }

  const p = (q: number, turns: readonly number[][]) => summary(turns.map((delays) => quantile(delays, q)));
  const ms = ({ median, min, max }: ReturnType<typeof summary>) => `${median.toFixed(0)} (${min.toFixed(0)} – ${max.toFixed(0)})`;
  const row = (name: string, turns: readonly number[][]) => `| ${name} | ${[0.5, 0.99, 1].map((q) => ms(p(q, turns))).join(' | ')} |`;
  await writeResults({
    name: 'campaign-messages',
    title: 'Campaigns: messages while a campaign is sending',
    how: `a campaign of ${emails.toLocaleString('en')} emails of ${html.length.toLocaleString('en')} bytes of HTML, ${connections} connections to a mail server on this machine; ${perSecond} messages/s for ${seconds} s with the campaign paused and with it sending, ${rounds} times in turn after a warm-up; milliseconds from the request of \`POST /v2/campaigns/messages\` to the end of the email at the mail server, median and range over the turns. The campaign sent ${summary(rates).median.toFixed(0)} emails/s meanwhile.`,
    table: [
      '| | p50 | p99 | max |',
      '|---|---|---|---|',
      row('the campaign is paused', all.paused),
      row('the campaign is sending', all.sending),
    ].join('\n'),
    aims: [['p99 while the campaign is sending', '≤ 2 s', `${p(0.99, all.sending).median.toFixed(0)} ms`]],
  });
});
await server.stop();
