import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startMailSink } from './mail-sink.ts';
import { startPlatform } from './platform.ts';

const users = 12;
const reports = 5;
const kills = 4;
/** A gateway that is killed has handed at most so many emails to the mail server without its response. */
const mailsAtOnce = 4;
const minuteMs = 60_000;

test('a report is emailed to each user once, however often the gateway is killed', { timeout: 900_000 }, async (t) => {
  const sink = await startMailSink(t);
  const platform = await startPlatform(t, { env: { SMTP_URL: sink.url } });
  const client = await platform.client('--permission', 'admin');
  const steps = [{ id: 'wait', type: 'delay', for: 'P1D' }];
  const user_ids: string[] = [];
  for (let index = 0; index < users; index += 1) {
    const { data, text } = await client.post('/v2/settings/users', {
      email: `user.${index}@example.com`,
      name: `U${index}`,
      role: 'viewer',
    });
    assert.ok(data, text);
    user_ids.push(data.id);
  }
  for (let index = 0; index < reports; index += 1) {
    const body = { name: `Report ${index}`, status: 'draft', trigger: { type: 'manual' }, steps };
    const { id: workflow_id } = (await client.post('/v2/workflows', body)).data;
    const send_at = new Date(Date.now() + 2_000).toISOString();
    const created = await client.post('/v2/report-emails', { workflow_id, user_ids, send_at });
    assert.equal(created.status, 201, created.text);
  }
  const sent = () => sink.caught.filter(({ mail }) => mail.subject?.startsWith('Report: ')).map(({ to, mail }) => `${to} ${mail.subject}`);
  for (let kill = 1; kill <= kills; kill += 1) {
    await eventually(async () => sent().length >= Math.min(kill * 3, users * reports - kills * mailsAtOnce));
    // Kills and starts it.
    await platform.setClock('gateway', kill * 6 * minuteMs);
  }
  await eventually(async () => sent().length >= users * reports - kills * mailsAtOnce);
  await platform.setClock('gateway', (kills + 1) * 6 * minuteMs);
  const listed = await eventually(async () => {
    const { items } = (await client.get('/v2/report-emails')).data;
    return items.every(({ next_send_at }: { next_send_at: string | null }) => next_send_at === null) && items;
  });
  assert.equal(listed.length, reports);
  assert.equal(new Set(sent()).size, sent().length, 'none twice');
});
