import { once } from 'node:events';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { SMTPServer } from 'smtp-server';

/** Emails to this domain are reported one by one. */
export const watchedDomain = 'watched.example';

type Report = { port?: number; rate?: number; to?: string; at?: number };

if (!isMainThread) serve();

/** Accepts every email, and reports when a number of emails has arrived and when each email to the watched domain has. */
function serve() {
  let wanted = 0;
  let times: number[] = [];
  const report = (message: Report) => parentPort?.postMessage(message);
  parentPort?.on('message', (count: number) => {
    wanted = count;
    times = [];
  });
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onData(stream, session, done) {
      stream.resume();
      stream.on('end', () => {
        const at = performance.timeOrigin + performance.now();
        const to = session.envelope.rcptTo[0]?.address ?? '';
        times.push(at);
        if (to.endsWith(`@${watchedDomain}`)) report({ to, at });
        if (times.length === wanted) report({ rate: (wanted - 1) / ((at - (times[0] ?? at)) / 1_000) });
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.server.address();
    if (address && typeof address === 'object') report({ port: address.port });
  });
}

/** A mail server in a thread of its own. */
export async function startMailServer() {
  const worker = new Worker(new URL(import.meta.url));
  const [message]: Report[] = await once(worker, 'message');
  const port = message?.port ?? 0;
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,

    /** How many emails per second arrive, from the first of `count` emails to the last. */
    async rateOf(count: number, send: () => Promise<unknown>): Promise<number> {
      worker.postMessage(count);
      const { promise, resolve } = Promise.withResolvers<number>();
      const listen = ({ rate }: Report) => rate !== undefined && resolve(rate);
      worker.on('message', listen);
      await send();
      return promise.finally(() => worker.off('message', listen));
    },

    /** Calls `arrived` with the address and the time, in milliseconds since the epoch, of each email to the watched domain. */
    watch(arrived: (to: string, at: number) => void) {
      worker.on('message', ({ to, at }: Report) => to !== undefined && at !== undefined && arrived(to, at));
    },

    stop: () => worker.terminate(),
  };
}
