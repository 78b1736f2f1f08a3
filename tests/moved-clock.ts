/**
 * Preloaded into the processes of a platform whose clock is ahead (`moveClock`): `Date` reads the time of the machine and
 * `CLOCK_AHEAD_MS` milliseconds. SIGWINCH, which services leave alone, steps the clock of a running process forward by
 * `CLOCK_STEP_MS`, and the next one back. Timers and the servers of the infrastructure keep the time of the machine.
 */
const RealDate = Date;
const ahead = Number(process.env.CLOCK_AHEAD_MS ?? 0);
const stepMs = Number(process.env.CLOCK_STEP_MS ?? 0);
let steppedMs = 0;
const now = () => RealDate.now() + ahead + steppedMs;

process.on('SIGWINCH', () => {
  steppedMs = stepMs - steppedMs;
});

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, created) => Reflect.construct(target, args.length === 0 ? [now()] : args, created),
  apply: () => new RealDate(now()).toString(),
  get: (target, key, receiver) => (key === 'now' ? now : Reflect.get(target, key, receiver)),
});
