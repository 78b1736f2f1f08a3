import { finished } from 'node:stream';
import { isMainThread } from 'node:worker_threads';

/*
 * Loaded into every service before its own code: stops the service when the platform process, which holds the other end of its standard
 * input, is gone, even after kill -9.
 */
const drainWithinMs = 20_000;

if (isMainThread) {
  const { stdin } = process;
  finished(stdin, { writable: false }, () => {
    // Under `node --watch`, stopping the watcher stops its service.
    process.kill(process.env.PLATFORM_WATCHES ? process.ppid : process.pid, 'SIGTERM');
    setTimeout(() => process.exit(1), drainWithinMs).unref();
  });
  stdin.resume();
  stdin.unref();
}
