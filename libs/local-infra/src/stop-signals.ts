import { isAlive, npmAbove } from './process-mark.ts';

const sameKeyMs = 1_000;

/**
 * Calls `once` on the first request to stop and `again` on later ones.
 *
 * One Ctrl-C can arrive twice, from the terminal and from npm, so requests within a second count as one. A killed npm sends nothing,
 * so its end counts as a request.
 */
export function onStop({ once, again }: { once: (why: string) => void; again: () => void }): void {
  let requestedAt: number | undefined;
  const requestStop = (why: string) => {
    if (requestedAt === undefined) {
      requestedAt = Date.now();
      once(why);
    } else if (Date.now() - requestedAt > sameKeyMs) {
      again();
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => requestStop(signal));

  const npm = npmAbove();
  if (!npm) return;
  const watching = setInterval(() => {
    if (isAlive(npm)) return;
    clearInterval(watching);
    requestStop('npm ended');
  }, 1_000);
  watching.unref();
}
