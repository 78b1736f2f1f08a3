import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { MessageBounced, MessageComplained } from '@mp/contracts/events/campaigns';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { writtenEvents } from '@mp/test-kit/written-events';
import nodemailer from 'nodemailer';
import { signReturnPath } from '../src/delivery/reports/return-path.ts';
import { complaint, deliveryStatus } from './report-fixtures.ts';
import { linkKeys, reconciliation, sendCampaign, startSetting, untilStatus } from './setting.ts';

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

const domain = 'bounces.example.com';

test('bounces at signed return paths and complaints settle the ledger once', async (t) => {
  const port = await freePort();
  const { app, neighbours, sink, parts } = await startSetting(t, { BOUNCE_DOMAIN: domain, BOUNCE_PORT: port });
  const account = testClient(app);
  neighbours.contacts(account.accountId, 4, (index) => ({ email: `report${index}@example.com` }));
  const id = await sendCampaign(account);
  await untilStatus(account, id, 'sent');
  const transport = nodemailer.createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
  t.after(() => transport.close());
  const send = (to: string, raw: Buffer) =>
    transport.sendMail({ envelope: { from: '', to }, raw }).then(
      () => 250,
      (error: { responseCode?: number }) => error.responseCode,
    );
  const states = async () => (await reconciliation(account, id)).states;
  const returnPath = (index: number) => sink.to(`report${index}@example.com`)[0]?.from ?? '';

  const hard = deliveryStatus({ to: returnPath(0), action: 'failed', status: '5.1.1', diagnostic: 'smtp; 550 5.1.1 unknown' });
  assert.match(returnPath(0), /^b[0-9a-z]{62}@bounces\.example\.com$/);
  for (const _ of [1, 2]) assert.equal(await send(returnPath(0), hard), 250);
  const soft = deliveryStatus({ to: returnPath(1), action: 'failed', status: '5.2.2', diagnostic: '' });
  assert.equal(await send(returnPath(1), soft), 250);
  const original = sink.to('report2@example.com')[0]?.raw.toString('utf8').split('\r\n\r\n')[0] ?? '';
  for (const _ of [1, 2]) assert.equal(await send(`complaints@${domain}`, complaint({ original, type: 'abuse' })), 250);

  const { bounced, failed, complained, sent } = await states();
  assert.deepEqual([bounced, failed, complained, sent], [1, 1, 1, 1]);
  assert.equal((await reconciliation(account, id)).reconciles, true);
  const events = (await writtenEvents(parts.mongo.db, {})).map(({ envelope }) => envelope.type);
  const count = (type: string) => events.filter((one) => one === type).length;
  assert.deepEqual([count(MessageBounced.type), count(MessageComplained.type)], [2, 1]);

  const forged = signReturnPath(linkKeys, { accountId: account.accountId, recipientId: newId('recipient') }, domain);
  assert.equal(await send(forged.replace(/.@/, forged.includes('0@') ? '1@' : '0@'), hard), 550);
  for (const to of [`someone@${domain}`, 'postmaster@example.com']) assert.equal(await send(to, hard), 550);
  const unsigned = complaint({ original: 'Return-Path: <b@example.com>\r\nList-Unsubscribe: <http://mail.test/t/abc>', type: 'abuse' });
  assert.equal(await send(`complaints@${domain}`, unsigned), 250);
  assert.equal((await states()).complained, 1);
});
