import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { quantile } from '../compare.ts';

/**
 * So many requests a second whether they are answered in time or not. What one waited counts from the moment it was due,
 * so that a server that stands still is not asked less for it (coordinated omission, https://github.com/giltene/wrk2).
 * The first seconds do not count: this program connects and is compiled in them, and is slower than what it measures.
 */
const [url = '', keysFile = '', rate = '1000', warmSeconds = '3', seconds = '6', connections = '64'] = process.argv.slice(2);
const { origin, pathname: path } = new URL(url);
const keys = readFileSync(keysFile, 'utf8').trim().split('\n');
const pool = new Pool(origin, { connections: Number(connections), pipelining: 1 });
const perSecond = Number(rate);
const warmUp = perSecond * Number(warmSeconds);
const total = warmUp + perSecond * Number(seconds);
let answered = 0;
const waited: number[] = [];
const { promise: over, resolve, reject } = Promise.withResolvers<void>();

function ask(index: number, due: number) {
  let status = 0;
  pool.dispatch(
    { method: 'GET', path, headers: { authorization: keys[index % keys.length] ?? '' } },
    {
      onRequestStart: () => undefined,
      onResponseStart(_, code) {
        status = code;
      },
      onResponseData: () => undefined,
      onResponseEnd() {
        if (status !== 200) return reject(new Error(`${url} answered ${status}.`));
        if (index >= warmUp) waited.push(performance.now() - due);
        answered += 1;
        if (answered === total) resolve();
      },
      onResponseError: (_, error) => reject(error),
    },
  );
}

const began = performance.now();
let asked = 0;
const timer = setInterval(() => {
  const due = Math.min(total, Math.floor(((performance.now() - began) / 1_000) * perSecond));
  for (; asked < due; asked += 1) ask(asked, began + (asked / perSecond) * 1_000);
  if (asked === total) clearInterval(timer);
}, 1);
await over;
await pool.close();
const sorted = waited.toSorted((a, b) => a - b);
console.log(
  JSON.stringify({
    perSecond: (total * 1_000) / (performance.now() - began),
    requests: waited.length,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
  }),
);
