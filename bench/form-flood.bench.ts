import { setTimeout as pause } from 'node:timers/promises';
import { createFormFlood } from '../tests/form-flood.ts';
import { startMailSink } from '../tests/mail-sink.ts';
import { writeResults } from './contacts-results.ts';
import { withPlatform } from './platform.ts';

/**
 * What a quiet account notices of 10,000 submissions that robots send to the form of another: its requests are timed alone, while the
 * flood begins, and while it goes on. The first submissions of a flood are accepted until the form counts as flooded.
 */
const flooded = 10_000;
const beginsMs = 15_000;
const pauseMs = 100;
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);

type Sample = { at: number; ms: number };
const cleanUps: (() => unknown)[] = [];
const sink = await startMailSink({ after: (cleanUp) => void cleanUps.push(cleanUp) });
const alone: Sample[] = [];
const during: Sample[] = [];
let rejected = 0;

for (let round = 0; round < rounds; round += 1)
  await withPlatform(
    async (platform) => {
      const { quiet, submitToQuiet, openQuietForm, flood } = await createFormFlood(platform);
      let number = 0;
      async function measure(samples: Sample[], goesOn: () => boolean) {
        const began = performance.now();
        while (goesOn()) {
          number += 1;
          const sent = performance.now();
          const work = [() => submitToQuiet(`visitor${number}@quiet.example`), openQuietForm][number % 4];
          const { status } = await (work ?? (() => quiet.get('/v2/contacts?limit=10')))();
          if (status !== 200) throw new Error(`status ${status}`);
          samples.push({ at: sent - began, ms: performance.now() - sent });
          await pause(pauseMs);
        }
      }
      const times = (count: number) => {
        let left = count;
        return () => left-- > 0;
      };
      // The first requests find nothing prepared, such as connections.
      await measure([], times(200));
      await measure(alone, times(400));
      const attack = flood(flooded);
      await measure(during, attack.isOn);
      const statuses = await attack.over;
      rejected += flooded - (statuses.get(200) ?? 0);
    },
    { env: { SMTP_URL: sink.url, TRUSTED_PROXIES: '127.0.0.1' } },
  );
for (const cleanUp of cleanUps) await cleanUp();

const phases = {
  alone,
  'the first 15 s of the flood': during.filter(({ at }) => at < beginsMs),
  'the rest of the flood': during.filter(({ at }) => at >= beginsMs),
};
const percentile = (samples: readonly Sample[], share: number) =>
  samples.map(({ ms }) => ms).sort((a, b) => a - b)[Math.floor(samples.length * share)] ?? Number.NaN;
const ratio = (samples: readonly Sample[]) => (percentile(samples, 0.99) / percentile(alone, 0.99)).toFixed(1);

await writeResults({
  name: 'form-flood',
  title: 'A flooded form beside a quiet account',
  how: `16 robots send ${flooded.toLocaleString('en')} submissions to one form, each from a network of its own; a quiet account has a submission, a view of its form or a list of contacts every ${pauseMs} ms. ${rounds} rounds, each with a platform of its own; ${Math.round(rejected / rounds).toLocaleString('en')} submissions of a round were rejected. Robots, services, MongoDB and NATS share the machine.`,
  table: [
    '| | requests | median, ms | p99, ms | slowest, ms |',
    '|---|---|---|---|---|',
    ...Object.entries(phases).map(
      ([name, samples]) =>
        `| ${name} | ${samples.length} | ${percentile(samples, 0.5).toFixed(0)} | ${percentile(samples, 0.99).toFixed(0)} | ${percentile(samples, 0.9999).toFixed(0)} |`,
    ),
  ].join('\n'),
  aims: [
    ['p99 during the flood / alone', '≤ 2', ratio(during)],
    ['the same after the first 15 s', '≤ 2', ratio(phases['the rest of the flood'])],
  ],
});
