import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Pool } from 'undici';

/** The minimum: Node's server, undici, a lookup of the hashed key and a counter, without the other work of a gateway. */
const counts = new Map(
  readFileSync(process.env.KEYS ?? '', 'utf8')
    .trim()
    .split('\n')
    .map((key) => [hash('sha256', key.replace(/^Bearer /, ''), 'base64url'), 0]),
);
const pool = new Pool(process.env.UPSTREAM ?? '', { connections: 128, pipelining: 1 });

createServer((req, res) => {
  const key = hash('sha256', (req.headers.authorization ?? '').slice(7), 'base64url');
  const count = counts.get(key);
  if (count === undefined) return void res.writeHead(401).end();
  counts.set(key, count + 1);
  pool.dispatch(
    { method: 'GET', path: req.url ?? '/' },
    {
      onRequestStart: () => undefined,
      onResponseStart(_, status, headers) {
        res.writeHead(status, { 'content-type': String(headers['content-type']), 'content-length': String(headers['content-length']) });
      },
      onResponseData: (_, chunk) => void res.write(chunk),
      onResponseEnd: () => void res.end(),
      onResponseError: () => void res.destroy(),
    },
  );
}).listen(Number(process.env.PORT), '127.0.0.1', () => console.log('ready'));
