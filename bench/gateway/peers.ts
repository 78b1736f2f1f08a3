import { execFile } from 'node:child_process';
import { access, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endProcess, found, measuredCore, otherCore, startPinned } from './pinned.ts';

const run = promisify(execFile);

/** Installs the peers with their dependencies as published, in a folder outside this repository, unless it has them already. */
export async function installPeers(folder: string) {
  const isThere = await access(join(folder, 'node_modules/express-gateway')).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'peers', private: true }));
  const packages = ['express-gateway@1.16.11', '@fastify/http-proxy@11.6.3', 'fastify@5'];
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], { cwd: folder });
}

/** @fastify/http-proxy, without checks. */
export async function startHttpProxy(folder: string, port: number, upstream: string) {
  const file = join(folder, 'http-proxy.cjs');
  await writeFile(
    file,
    `const app = require('fastify')({ logger: false });
app.register(require('@fastify/http-proxy'), { upstream: '${upstream}', undici: { connections: 128, pipelining: 1 } });
app.listen({ host: '127.0.0.1', port: ${port} }).then(() => console.log('ready'));`,
  );
  return startPinned(measuredCore, process.execPath, [file], { env: { NODE_ENV: 'production' } });
}

const answers = (port: number) => async () => (await fetch(`http://127.0.0.1:${port}/`)).status > 0;

/** One worker without a master process, so that its CPU is that of the process; connections to the upstream are kept. */
async function startNginx(folder: string, port: number, upstream: string) {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ');
  const file = join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off; ${temporary}
  upstream upstream { server ${new URL(upstream).host}; keepalive 128; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port}; keepalive_requests 1000000000;
    location / { proxy_pass http://upstream; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}`,
  );
  return startPinned(measuredCore, 'nginx', ['-p', folder, '-c', file], { ready: answers(port) });
}

async function startCaddy(folder: string, port: number, upstream: string) {
  const file = join(folder, 'Caddyfile');
  const host = new URL(upstream).host;
  await writeFile(file, `{\n\tadmin off\n\tauto_https off\n}\nhttp://127.0.0.1:${port} {\n\treverse_proxy ${host}\n}\n`);
  return startPinned(measuredCore, 'caddy', ['run', '--adapter', 'caddyfile', '--config', file], {
    env: { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    ready: answers(port),
  });
}

/** Web servers that only forward, of those that are installed. */
export const webServers = [
  { program: 'nginx', name: 'nginx: proxy_pass, one worker', start: startNginx },
  { program: 'caddy', name: 'Caddy: reverse_proxy', start: startCaddy },
].filter(({ program }) => found(program));

export const withoutRedis = found('redis-server') ? false : 'skipped, because redis-server is not installed';

export async function startRedis(port: number) {
  return startPinned(otherCore, 'redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {});
}

type StockConfig = { folder: string; port: number; adminPort: number; redisPort: number; upstream: string };

/** Stock express-gateway with its own key-auth, rate-limit and proxy. Its default delays are set to 0. */
export async function startExpressGateway({ folder, port, adminPort, redisPort, upstream }: StockConfig) {
  const config = join(folder, 'express-gateway');
  const own = join(folder, 'node_modules/express-gateway/lib/config');
  await mkdir(config, { recursive: true });
  await cp(join(own, 'models'), join(config, 'models'), { recursive: true });
  await writeFile(
    join(config, 'system.config.yml'),
    `db: { redis: { host: 127.0.0.1, port: ${redisPort}, namespace: EG } }
plugins: {}
crypto: { cipherKey: sensitiveKey, algorithm: aes256, saltRounds: 10 }
session: { secret: keyboard cat, resave: false, saveUninitialized: false }
accessTokens: { timeToExpiry: 7200000 }
refreshTokens: { timeToExpiry: 7200000 }
authorizationCodes: { timeToExpiry: 300000 }
`,
  );
  await writeFile(
    join(config, 'gateway.config.yml'),
    `http: { port: ${port}, hostname: 127.0.0.1 }
admin: { port: ${adminPort}, host: 127.0.0.1 }
apiEndpoints: { api: { host: '*', paths: ['/v2/*'] } }
serviceEndpoints: { upstream: { url: '${upstream}' } }
policies: [key-auth, rate-limit, proxy]
pipelines:
  default:
    apiEndpoints: [api]
    policies:
      - key-auth: [{ action: {} }]
      - rate-limit: [{ action: { max: 1000000000, windowMs: 86400000, delayAfter: 0, delayMs: 0, rateLimitBy: '\${consumer.id}' } }]
      - proxy: [{ action: { serviceEndpoint: upstream, changeOrigin: true } }]
`,
  );
  const file = join(folder, 'express-gateway.cjs');
  await writeFile(file, `require('express-gateway')().load(${JSON.stringify(config)}).run();`);
  return startPinned(measuredCore, process.execPath, [file], {
    env: { EG_DISABLE_CONFIG_WATCH: '1', NODE_ENV: 'production', LOG_LEVEL: 'error' },
    cwd: folder,
    ready: async () => (await fetch(`http://127.0.0.1:${adminPort}/users`)).ok,
  });
}

/** Creates as many users with credentials as for our gateway through its admin API. Returns Authorization headers. */
export async function makeCredentials(adminPort: number, users: number, each: number): Promise<string[]> {
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`http://127.0.0.1:${adminPort}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} → ${response.status} ${await response.text()}`);
    return Object(await response.json());
  };
  const keys: string[] = [];
  const makeUser = async (index: number) => {
    await post('/users', { username: `user${index}`, firstname: 'U', lastname: String(index) });
    for (let count = 0; count < each; count += 1) {
      const { keyId, keySecret } = await post('/credentials', { credential: {}, consumerId: `user${index}`, type: 'key-auth' });
      keys.push(`apiKey ${keyId}:${keySecret}`);
    }
  };
  for (let index = 0; index < users; index += 20)
    await Promise.all(Array.from({ length: Math.min(20, users - index) }, (_, offset) => makeUser(index + offset)));
  return keys;
}

export { endProcess };
