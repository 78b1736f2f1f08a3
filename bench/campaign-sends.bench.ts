import nodemailer from 'nodemailer';
import { connections, html, subscribers, withCampaigns } from './campaigns/campaigns-service.ts';
import { startMailServer } from './campaigns/mail-server.ts';
import { compare, comparison } from './compare.ts';
import { writeResults } from './contacts-results.ts';

/** Emails per second of a campaign beside a bare nodemailer pool. BENCH_EMAILS=500 and BENCH_ROUNDS=1 for a short run. */
const emails = Number(process.env.BENCH_EMAILS ?? 10_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const people = subscribers(emails);
const server = await startMailServer();

await withCampaigns({ people, smtpUrl: server.url, live: true }, async ({ send, untilDone }) => {
  const pool = nodemailer.createTransport({
    pool: true,
    host: '127.0.0.1',
    port: server.port,
    maxConnections: connections,
    maxMessages: 500,
  });
  const bare = () =>
    Promise.all(
      people.map(({ email, first_name }) =>
        pool.sendMail({
          from: 'news@example.com',
          to: email ?? '',
          subject: `Hi ${first_name}`,
          html: html.replace('{{ contact.first_name }}', first_name ?? ''),
          text: `Hello ${first_name}`,
        }),
      ),
    );
  const figures = await compare(
    'Sending',
    'emails/s',
    [
      { name: 'bare nodemailer pool, one rendered email each', run: () => server.rateOf(emails, bare) },
      {
        name: 'campaign, with ledger, consent, links and events',
        async run() {
          let id = '';
          const rate = await server.rateOf(emails, async () => {
            id = await send();
          });
          await untilDone(id);
          return rate;
        },
      },
    ],
    rounds,
  );
  pool.close();
  const [base = Number.NaN, ours = Number.NaN] = [...figures.values()].map(({ median }) => median);
  await writeResults({
    name: 'campaign-sends',
    title: 'Campaigns: sending',
    how: `${emails.toLocaleString('en')} emails of ${html.length.toLocaleString('en')} bytes of HTML per round to a mail server on this machine, in a thread of its own, over ${connections} connections, to addresses in 50 domains; the rate from the first arrival to the last; the next turn begins when the ledger, its events and its counters are complete; ${rounds} interleaved rounds after a warm-up.`,
    table: comparison('emails/s', figures),
    aims: [['campaign / bare nodemailer pool', '≥ 0.3, better 0.5', (ours / base).toFixed(2)]],
  });
});
await server.stop();
