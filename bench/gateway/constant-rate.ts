import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { quantile } from '../compare.ts';

/**
 * Sends requests at a constant rate, whether or not responses arrive in time. Latency counts from the time a request was
 * due, so that a stalled server does not receive fewer requests (coordinated omission, https://github.com/giltene/wrk2).
 * The first seconds are a warm-up, in which this program connects, is compiled, and is slower than the server.
 *
 * Uses plain sockets, because a full HTTP client would use most of the core that it shares with the upstream.
 */
const [url = '', keysFile = '', rate = '1000', warmSeconds = '3', seconds = '6', connections = '64'] = process.argv.slice(2);
const { hostname, port, pathname } = new URL(url);
const requests = readFileSync(keysFile, 'utf8')
  .trim()
  .split('\n')
  .map((key) => `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: ${key}\r\n\r\n`);
const perSecond = Number(rate);
const warmUp = perSecond * Number(warmSeconds);
const total = warmUp + perSecond * Number(seconds);
const waited: number[] = [];
const { promise: over, resolve, reject } = Promise.withResolvers<void>();

let responses = 0;
let requestsSent = 0;
/** Index after the last due request; those from `requestsSent` on wait for a connection. */
let due = 0;
const free: (() => void)[] = [];

/** One connection: sends the next due request, reads the whole response, and repeats. */
function open() {
  const socket: Socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  let index = -1;
  let received = '';
  const send = () => {
    if (requestsSent === due) {
      free.push(send);
      return;
    }
    index = requestsSent;
    requestsSent += 1;
    socket.write(requests[index % requests.length] ?? '');
  };
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    received += chunk;
    const headers = received.indexOf('\r\n\r\n');
    if (headers === -1) return;
    if (!received.startsWith('HTTP/1.1 200 ')) return reject(new Error(`${url} returned ${received.slice(0, 300)}`));
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1]);
    if (received.length < headers + 4 + length) return;
    received = '';
    if (index >= warmUp) waited.push(performance.now() - began - (index / perSecond) * 1_000);
    responses += 1;
    if (responses === total) return resolve();
    send();
  });
  socket.on('error', reject);
  socket.on('connect', send);
  return socket;
}

const sockets = Array.from({ length: Number(connections) }, open);
const began = performance.now();
const timer = setInterval(() => {
  due = Math.min(total, Math.floor(((performance.now() - began) / 1_000) * perSecond));
  while (requestsSent < due && free.length > 0) free.pop()?.();
  if (due === total) clearInterval(timer);
}, 1);
await over;
for (const socket of sockets) socket.destroy();
const sorted = waited.toSorted((a, b) => a - b);
console.log(
  JSON.stringify({
    perSecond: (total * 1_000) / (performance.now() - began),
    requests: waited.length,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
  }),
);
