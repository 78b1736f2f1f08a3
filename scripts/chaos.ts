import { readOptions, refuse } from './read-options.ts';

/** Harms a platform of its own while clients write, and compares it with what was acknowledged. */
const usage = `npm run chaos -- [--seed N] [--faults N] [--minutes N] [--replicas 2] [--clients N]
Starts a platform with its own MongoDB and NATS, lets clients write to it, and kills, freezes, restarts, cuts off, slows, fills and wipes
its parts, and steps their clocks, in the order that the seed decides. Then compares everything with what was acknowledged. Exits with 1 at the first difference.
  --seed      what happens, and in which order (default 1)
  --faults    how often (default 40, about 20 minutes; with --minutes, as often as fits)
  --minutes   after how many no further fault follows
  --replicas  2 for a second process of each service behind the gateway: requests, consumers and jobs are shared, the first is harmed
  --clients   clients that write at once (default 6)`;
const text = { type: 'string' } as const;
const { values } = readOptions(usage, { seed: text, faults: text, minutes: text, replicas: text, clients: text });
const numberOf = (name: keyof typeof values, otherwise: number) => {
  const value = Number(values[name] ?? otherwise);
  return Number.isInteger(value) && value > 0 ? value : refuse(`--${name} must be a whole number from 1 on.`, usage);
};
const replicas = numberOf('replicas', 1);
if (replicas !== 1 && replicas !== 2) refuse('--replicas must be 1 or 2.', usage);
const [seed, clients, minutes] = [numberOf('seed', 1), numberOf('clients', 6), numberOf('minutes', 24 * 60)];
// No more faults than one a second fit in, because a pause follows each.
const faults = numberOf('faults', values.minutes === undefined ? 40 : minutes * 60);

// Otherwise whoever waits for what is stuck waits for a day. Read when the test kit is loaded.
process.env.TEST_PATIENCE_MS ??= String(10 * 60_000);
const { runChaos } = await import('../tests/chaos/run-chaos.ts');

const cleanUps: (() => Promise<void>)[] = [];
const began = Date.now();
const report = (line: string) => console.log(`${((Date.now() - began) / 1_000).toFixed(0).padStart(5)} s  ${line}`);
let code = 0;
report(`seed ${seed}`);
try {
  await runChaos({ after: (cleanUp) => void cleanUps.push(cleanUp) }, { seed, faults, clients, minutes, replicas, report });
  report(`seed ${seed}: nothing differs`);
} catch (error) {
  console.error(error);
  report(`seed ${seed} failed`);
  code = 1;
}
for (const cleanUp of cleanUps.reverse()) await cleanUp();
process.exit(code);
