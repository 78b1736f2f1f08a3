import { createFloods, createWaits } from '../tests/floods.ts';
import { startMailSink } from '../tests/mail-sink.ts';
import { observe } from '../tests/observe.ts';
import { quantile } from './compare.ts';
import { writeResults } from './contacts-results.ts';
import { withPlatform } from './platform.ts';

/**
 * How long one account waits for what follows from its changes while another floods the platform, by the kind of the flood. Alone
 * first, then beside each flood, which begins when the platform has nothing left to do. BENCH_SECONDS=5 for a short run.
 */
const seconds = Number(process.env.BENCH_SECONDS ?? 60);
const size = Number(process.env.BENCH_CONTACTS ?? 5_000);
const only = process.env.BENCH_FLOODS?.split(',');

const cleanUps: (() => Promise<void>)[] = [];
const test = { after: (cleanUp: () => Promise<void>) => void cleanUps.push(cleanUp) };
const sink = await startMailSink(test);
const lines: string[] = [];
const ratios: number[] = [];

await withPlatform(
  async (platform) => {
    const { untilSettled, close } = await observe(platform);
    const { kinds } = await createFloods(test, platform, { size });
    const waits = await createWaits(platform, sink);

    /** The delays of each kind, in order, one after the other for so many seconds. */
    async function measure(forSeconds: number) {
      const found = new Map([...waits.keys()].map((name) => [name, [] as number[]]));
      for (const endsAt = performance.now() + forSeconds * 1_000; performance.now() < endsAt; )
        for (const [name, wait] of waits) found.get(name)?.push(await wait());
      return new Map([...found].map(([name, delays]) => [name, delays.sort((a, b) => a - b)]));
    }
    const cellsOf = (found: Awaited<ReturnType<typeof measure>>) =>
      [...found.values()].map((delays) => `${quantile(delays, 0.5).toFixed(0)}, ${quantile(delays, 0.99).toFixed(0)}`);

    await untilSettled();
    await measure(seconds / 4);
    const alone = await measure(seconds);
    lines.push(`| alone | ${cellsOf(alone).join(' | ')} | |`);
    for (const [kind, flood] of kinds) {
      if (only && !only.some((part) => kind.includes(part))) continue;
      let isOn = true;
      const over = flood(() => isOn);
      const beside = await measure(seconds);
      isOn = false;
      await over;
      const worst = Math.max(...[...beside].map(([name, delays]) => quantile(delays, 0.99) / quantile(alone.get(name) ?? [], 0.99)));
      ratios.push(worst);
      lines.push(`| ${kind} | ${cellsOf(beside).join(' | ')} | ${worst.toFixed(1)} |`);
      console.log(lines.at(-1));
      await untilSettled({ withRuns: kind !== 'hanging webhooks' });
    }
    await close();
  },
  { env: { SMTP_URL: sink.url, WEBHOOK_ALLOW_PRIVATE: 'true' } },
);
for (const cleanUp of cleanUps) await cleanUp();

await writeResults({
  name: 'fairness',
  title: 'One account beside the flood of another',
  how: `all services, the load, MongoDB and NATS on this machine; an account with one change at a time, for ${seconds} s beside each flood, which goes on as fast as it is accepted: page views from 6 clients in calls with 100, files of ${size.toLocaleString('en')} contacts of which a third starts a workflow, campaigns to ${Math.round(size / 3).toLocaleString('en')} recipients, imports whose webhooks and calls from runs hang, and reports from 8 clients.`,
  table: [
    '| milliseconds: p50, p99 | event → run | contact → segment | message → sent | send → frozen | worst p99 / alone |',
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n'),
  aims: [['worst p99 beside a flood / alone', '≤ 2', Math.max(...ratios).toFixed(1)]],
});
