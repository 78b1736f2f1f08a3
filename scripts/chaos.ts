import { runChaos } from '../tests/chaos/run-chaos.ts';
import { readOptions, refuse } from './read-options.ts';

/** Harms a platform of its own while clients write, and compares it with what was acknowledged. */
const usage = `npm run chaos -- [--seed N] [--faults N] [--minutes N] [--replicas 2] [--clients N]
Starts a platform with its own MongoDB and NATS, lets clients write to it, and kills, freezes, restarts, cuts off, slows, fills and wipes
its parts, and steps their clocks, in the order that the seed decides. Then compares everything with what was acknowledged. Exits with 1 at the first difference.
  --seed      what happens, and in which order (default 1)
  --faults    how often (default 40, about 20 minutes)
  --minutes   ends earlier, with the fault that happens then
  --replicas  2 for a second process of each service behind the gateway
  --clients   clients that write at once (default 6)`;
const text = { type: 'string' } as const;
const { values } = readOptions(usage, { seed: text, faults: text, minutes: text, replicas: text, clients: text });
const numberOf = (name: keyof typeof values, otherwise: number) => {
  const value = Number(values[name] ?? otherwise);
  return Number.isInteger(value) && value > 0 ? value : refuse(`--${name} must be a whole number from 1 on.`, usage);
};
const cleanUps: (() => Promise<void>)[] = [];
const began = Date.now();
const report = (line: string) => console.log(`${((Date.now() - began) / 1_000).toFixed(0).padStart(5)} s  ${line}`);
let code = 0;
try {
  await runChaos(
    { after: (cleanUp) => void cleanUps.push(cleanUp) },
    {
      ...{
        seed: numberOf('seed', 1),
        faults: numberOf('faults', 40),
        clients: numberOf('clients', 6),
        minutes: numberOf('minutes', 24 * 60),
        report,
      },
      replicas: numberOf('replicas', 1) === 2 ? 2 : 1,
    },
  );
  report('nothing differs');
} catch (error) {
  console.error(error);
  code = 1;
}
for (const cleanUp of cleanUps.reverse()) await cleanUp();
process.exit(code);
