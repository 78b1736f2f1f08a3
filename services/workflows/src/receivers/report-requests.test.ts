import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Exchange } from '@mp/guarded-requests/guarded-request';
import { newId } from '@mp/ids';
import { withLogContext } from '@mp/service-kit/log-context';
import { createMetrics } from '@mp/service-kit/metrics';
import { reportRequests } from './report-requests.ts';

const responded = (status: number): Exchange => ({ type: 'response', status, said: '', retryAfter: undefined });
const silent: Exchange = { type: 'silent', reason: 'connect ECONNREFUSED' };

function setting() {
  const lines: object[] = [];
  const metrics = createMetrics('workflows');
  let at = Date.parse('2026-05-01T10:00:00Z');
  let next: Exchange = silent;
  const logger = { warn: (fields: object) => void lines.push(fields) };
  const send = reportRequests({ metrics, logger, clock: () => new Date(at) }, 'delivery', async () => next);
  const [acme, other] = [newId('account'), newId('account')];
  const request = { url: 'https://hooks.example.com/in?secret=1', method: 'POST', headers: {}, body: '{}' };
  return {
    ...{ lines, metrics, acme, other },
    wait: (ms: number) => {
      at += ms;
    },
    call: (exchange: Exchange, { account = acme, url = request.url, stopping = new AbortController().signal } = {}) => {
      next = exchange;
      return withLogContext({ account_id: account }, () => send({ ...request, url }, stopping));
    },
  };
}

test('a webhook that fails is logged with its host and the reason, and never its path, at once and every ten minutes', async () => {
  const { lines, call, wait } = setting();
  await call(silent);
  await call(responded(503));
  assert.deepEqual(lines, [{ kind: 'delivery', host: 'hooks.example.com', outcome: 'unanswered', reason: 'connect ECONNREFUSED' }]);
  wait(10 * 60_000);
  await call(responded(503));
  assert.deepEqual(lines.slice(1), [{ kind: 'delivery', host: 'hooks.example.com', outcome: 'failed', reason: 'status 503' }]);
});

test('each account and host is logged for itself, and only if it fails', async () => {
  const { lines, call, other, metrics } = setting();
  await call(silent);
  await call(silent, { account: other });
  await call(silent, { url: 'https://crm.example.com:8443/' });
  assert.equal(lines.length, 3);
  const stopping = AbortSignal.abort();
  for (const exchange of [responded(200), responded(404), { type: 'refused', problem: 'private' } as const])
    await call(exchange, { url: 'https://fine.example.com/' });
  await call(silent, { url: 'https://stopped.example.com/', stopping });
  assert.equal(lines.length, 3);
  const counted = await metrics.registry.metrics();
  assert.match(counted, /webhook_requests_total\{[^}]*kind="delivery",outcome="unanswered"[^}]*\} 4/);
  assert.match(counted, /webhook_requests_total\{[^}]*kind="delivery",outcome="rejected"[^}]*\} 1/);
});
