import { pause } from '@mp/service-kit/backoff';
import { memoryOf, observe } from '../tests/observe.ts';
import { writeResults } from './contacts-results.ts';
import { withPlatform } from './platform.ts';

/** What a platform costs that has nothing to do. BENCH_SECONDS=10 for a short run. */
const seconds = Number(process.env.BENCH_SECONDS ?? 120);
/** Workers look at their usual pace for 20 s after a change. */
const restsAfterMs = 40_000;

await withPlatform(async (platform) => {
  const { spent, close } = await observe(platform);
  await pause(restsAfterMs);
  const [before, began] = [await spent(), performance.now()];
  await pause(seconds * 1_000);
  const [after, tookMs] = [await spent(), performance.now() - began];
  const memory = await Promise.all(platform.processes().map(async ([name, pid]) => [name, await memoryOf(pid)] as const));
  const total = memory.reduce((sum, [, mebibytes]) => sum + mebibytes, 0);
  await close();
  const cpu = (100 * (after.cpuMs - before.cpuMs)) / tookMs;
  const commands = (after.commands - before.commands) / (tookMs / 1_000);
  await writeResults({
    name: 'idle',
    title: 'A platform at rest',
    how: `the six services after ${restsAfterMs / 1_000} s without a request, for ${seconds} s; commands to MongoDB without heartbeats; memory counts what processes share once (PSS).`,
    table: ['| process | memory, MiB |', '|---|---|', ...memory.map(([name, mebibytes]) => `| ${name} | ${mebibytes.toFixed(0)} |`)].join(
      '\n',
    ),
    aims: [
      ['CPU of the services, of one core', '≤ 3 %, better 1 %', `${cpu.toFixed(1)} %`],
      ['commands to MongoDB per second', '≤ 10, better 2', commands.toFixed(1)],
      ['memory of all services', '≤ 900 MB, better 600', `${((total * 2 ** 20) / 1e6).toFixed(0)} MB`],
    ],
  });
});
