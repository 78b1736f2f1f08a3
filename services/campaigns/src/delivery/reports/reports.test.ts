import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseKeyring } from '@mp/contracts/keyring';
import { newId } from '@mp/ids';
import { createLogger } from '@mp/service-kit/logger';
import { createTemplates } from '@mp/templates/templates';
import { watchTurns } from '@mp/test-kit/cpu-clock';
import fc from 'fast-check';
import nodemailer from 'nodemailer';
import { complaint, deliveryStatus, hostileReports } from '../../../test/report-fixtures.ts';
import { linkKeys } from '../../../test/setting.ts';
import { createBounceServer } from './bounce-server.ts';
import readReport from './read-report.ts';
import { readReturnPath, signReturnPath } from './return-path.ts';

test('a return path can be read back in any case, fits into an address, and is rejected after any change or under another key', () => {
  const other = parseKeyring(`test:${Buffer.alloc(32, 9).toString('base64url')}`);
  fc.assert(
    fc.property(fc.nat(62), fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyz'), (at, letter) => {
      const email = { accountId: newId('account'), recipientId: newId('recipient') };
      const address = signReturnPath(linkKeys, email, 'bounces.example.com');
      assert.ok(address.lastIndexOf('@') <= 64);
      assert.deepEqual(readReturnPath(linkKeys, address.toUpperCase()), email);
      assert.equal(readReturnPath(other, address), undefined);
      const changed = address.slice(0, at) + letter + address.slice(at + 1);
      if (changed !== address) assert.equal(readReturnPath(linkKeys, changed), undefined);
    }),
  );
});

test('delivery status notifications are read: hard and soft bounces and deliveries, but no delays and no other email', async () => {
  const read = async (action: string, status: string, diagnostic = '') => {
    const report = await readReport(deliveryStatus({ to: 'b@bounces.example.com', action, status, diagnostic }));
    return report && [report.kind, report.kind === 'bounced' && report.hard];
  };
  assert.deepEqual(await read('failed', '5.1.1', 'smtp; 550 5.1.1 <x@example.com>:\r\n    user unknown'), ['bounced', true]);
  assert.deepEqual(await read('Failed', '5.0.0', 'smtp; 550 5.1.1 no such user'), ['bounced', true]);
  assert.deepEqual(await read('failed', '5.2.2', 'smtp; 552 5.2.2 mailbox full'), ['bounced', false]);
  assert.deepEqual(await read('failed', '5.7.1', 'smtp; 550 5.7.1 blocked'), ['bounced', false]);
  assert.deepEqual(await read('failed', '4.4.7 (delivery time expired)'), ['bounced', false]);
  assert.deepEqual(await read('delivered', '2.0.0'), ['delivered', false]);
  assert.equal(await read('delayed', '4.2.2'), undefined);
  assert.equal(await readReport(Buffer.from('Subject: Out of office\r\n\r\nI am away.')), undefined);
  assert.equal(await readReport(Buffer.from([0, 255, 13, 10])), undefined);
});

test('only complaints about abuse are complaints, and they contain the original email', async () => {
  const report = await readReport(complaint({ original: 'Return-Path: <b1@bounces.example.com>', type: 'abuse' }));
  assert.ok(report?.kind === 'complained' && report.about.includes('b1@bounces.example.com'));
  assert.equal(await readReport(complaint({ original: '', type: 'not-spam' })), undefined);
});

test('a report of 1 MiB, of whatever it consists, does not block anything else for more than 50 ms', async (t) => {
  const { run, stop } = createTemplates();
  t.after(stop);
  const feedback = { record: async () => assert.fail('none of these is about an email') };
  const server = createBounceServer(
    { domain: 'bounces.example.com', port: 0, host: '127.0.0.1' },
    { linkKeys, feedback, logger: createLogger('test', 'silent'), run },
  );
  server.start();
  t.after(() => server.stop());
  const transport = nodemailer.createTransport({ host: '127.0.0.1', port: await server.port(), ignoreTLS: true });
  t.after(() => transport.close());
  for (const [name, raw] of Object.entries(hostileReports)) {
    const longest: number[] = [];
    while (longest.length < 10 && !(Math.min(...longest) <= 50)) {
      const watched = watchTurns();
      await transport.sendMail({ envelope: { from: '', to: `complaints@bounces.example.com` }, raw });
      longest.push(watched());
    }
    assert.ok(Math.min(...longest) <= 50, `${name}: a turn of ${Math.min(...longest)} ms`);
  }
});
