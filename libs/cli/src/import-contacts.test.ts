import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { MarketingPlatform } from '@marketing-platform/sdk';
import { exitCodes } from './exit-codes.ts';
import { exitCodeOf, followImport } from './import-contacts.ts';

type State = { status: string; progress: number; rows: { read: number } };

/** A platform whose import is in the next state at each request, and that then rejects. */
function platform(states: readonly State[]) {
  const rest = [...states];
  const send: typeof fetch = async () => {
    const state = rest.shift();
    if (state) return Response.json({ success: true, data: { id: 'import_1', ...state } });
    const error = { code: 'NOT_FOUND', message: 'This account has no resource with this ID.', request_id: 'req_1' };
    return Response.json({ success: false, error }, { status: 404 });
  };
  return new MarketingPlatform({ apiKey: 'mp_live_key', baseUrl: 'https://mp.example.com', fetch: send });
}

/** Everything that was drawn on the terminal, without its control sequences. */
function screen(isTTY: boolean) {
  const stream = Object.assign(new PassThrough(), { isTTY });
  return { stream, text: () => String(stream.read() ?? '').replaceAll(/\p{Cc}\[?[?\d;]*[A-Za-z]?/gu, '') };
}

const half = { status: 'running', progress: 0.5, rows: { read: 125 } };
const done = { status: 'completed', progress: 1, rows: { read: 250 } };

test('the progress bar shows the share and the rows of every state, up to the end', async () => {
  const { stream, text } = screen(true);
  const mp = platform([half, half, done]);
  const job = await followImport(mp, await mp.contacts.imports.get('import_1'), stream);
  assert.equal(job.status, 'completed');
  assert.match(text(), /50% · 125 rows.*100% · 250 rows/s);
});

test('without a terminal nothing is drawn', async () => {
  const { stream, text } = screen(false);
  const mp = platform([half, done]);
  await followImport(mp, await mp.contacts.imports.get('import_1'), stream);
  assert.equal(text(), '');
});

test('a request that fails ends the bar, which would otherwise keep the process alive', async () => {
  const { stream } = screen(true);
  const mp = platform([half]);
  const started = await mp.contacts.imports.get('import_1');
  await assert.rejects(followImport(mp, started, stream), /no resource with this ID/);
  assert.match(String(stream.read()), /50% · 125 rows.*\n$/s, 'its line is complete');
});

test('an import whose rows failed has an exit code of its own', () => {
  assert.equal(exitCodeOf({ status: 'completed', rows: { failed: 0 } }), exitCodes.ok);
  assert.equal(exitCodeOf({ status: 'completed', rows: { failed: 1 } }), exitCodes.rowsFailed);
  assert.equal(exitCodeOf({ status: 'cancelled', rows: { failed: 1 } }), exitCodes.failed);
});
