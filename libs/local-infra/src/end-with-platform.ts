import { isMainThread } from 'node:worker_threads';
import { isAlive, isProcessMark } from './process-mark.ts';

/*
 * Loaded into every service before its own code: stops the service when the platform process was killed with -9.
 */
const platform: unknown = JSON.parse(process.env.PLATFORM_MARK ?? 'null');
const drainWithinMs = 20_000;

if (isMainThread && isProcessMark(platform)) {
  const watching = setInterval(() => {
    if (isAlive(platform)) return;
    clearInterval(watching);
    // Under `node --watch`, stopping the watcher stops its service.
    process.kill(process.env.PLATFORM_WATCHES ? process.ppid : process.pid, 'SIGTERM');
    setTimeout(() => process.exit(1), drainWithinMs).unref();
  }, 1_000);
  watching.unref();
}
