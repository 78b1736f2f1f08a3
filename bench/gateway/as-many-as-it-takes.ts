import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';

/** Replaces wrk where it is not installed: each connection sends the next request as soon as it has a response. */
const [url = '', keysFile = '', seconds = '6', connections = '64'] = process.argv.slice(2);
const keys = readFileSync(keysFile, 'utf8').trim().split('\n').slice(0, 1_000);

const result = await autocannon({
  url,
  connections: Number(connections),
  duration: Number(seconds),
  requests: keys.map((authorization) => ({ method: 'GET', headers: { authorization } })),
});
if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} responses were not 2xx, ${result.errors} requests failed.`);
console.log(
  JSON.stringify({
    perSecond: result.requests.average,
    requests: result.requests.total,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  }),
);
