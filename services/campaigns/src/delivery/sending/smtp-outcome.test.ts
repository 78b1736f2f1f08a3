import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliveryOf, statusCodes } from './smtp-outcome.ts';

test('maps responses by RFC 5321 and RFC 3463; without a response, the outcome depends on whether data was sent', () => {
  const cases: [Parameters<typeof deliveryOf>[0], boolean, string, boolean?][] = [
    [{ message: 'x', responseCode: 550, response: '550 no such user', command: 'RCPT TO' }, false, 'refused', true],
    [{ message: 'x', responseCode: 550, response: '550 5.1.1 no such user', command: 'RCPT TO' }, false, 'refused', true],
    [{ message: 'x', responseCode: 550, response: '550 5.7.1 blocked by policy', command: 'RCPT TO' }, false, 'refused', false],
    [{ message: 'x', responseCode: 552, response: '552 5.2.2 mailbox full', command: 'RCPT TO' }, false, 'refused', false],
    [{ message: 'x', responseCode: 550, response: '550 sender unknown', command: 'MAIL FROM' }, false, 'refused', false],
    [{ message: 'x', responseCode: 554, response: '554 5.7.1 spam', command: 'DATA' }, true, 'refused', false],
    [{ message: 'x', responseCode: 554, response: '554 5.1.1 unknown after all', command: 'DATA' }, true, 'refused', true],
    [{ message: 'x', responseCode: 451, response: '451 later', command: 'RCPT TO' }, false, 'deferred'],
    [{ message: 'x', responseCode: 452, response: '452 full', command: 'DATA' }, true, 'deferred'],
    [{ message: 'x', responseCode: 421, response: '421 bye', command: 'MAIL FROM' }, false, 'unreachable'],
    [{ message: 'x', responseCode: 421, response: '421 slow down', command: 'RCPT TO' }, false, 'deferred'],
    [{ message: 'x', responseCode: 535, response: '535 wrong password', command: 'AUTH PLAIN' }, false, 'unreachable'],
    [{ message: 'Message size larger than allowed 1000', code: 'EMESSAGE', command: 'MAIL FROM' }, false, 'refused', false],
    [{ message: 'connect ECONNREFUSED', command: 'CONN' }, false, 'unreachable'],
    [{ message: 'Connection closed', command: 'CONN' }, true, 'uncertain'],
    [{ message: 'Timeout', command: 'CONN' }, true, 'uncertain'],
  ];
  for (const [fault, dataBegan, kind, hard] of cases) {
    const delivery = deliveryOf(fault, dataBegan);
    assert.equal(delivery.kind, kind, JSON.stringify(fault));
    if (hard !== undefined) assert.equal(delivery.kind === 'refused' && delivery.hard, hard, JSON.stringify(fault));
  }
});

test('the log gets the status codes of a response, and nothing of its text', () => {
  const codes = ['451 4.7.1 <ada@example.com> greylisted', '550-5.1.1 no such user', '452 full', 'Message size larger than allowed'].map(
    statusCodes,
  );
  assert.deepEqual(codes, ['451 4.7.1', '550 5.1.1', '452', 'no status']);
});
