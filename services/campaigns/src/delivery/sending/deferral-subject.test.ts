import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deferralSubject } from './deferral-subject.ts';

const subjects = (responses: readonly string[]) => responses.map((response) => [response, deferralSubject({ response })]);

test('responses of greylisting, and those about a mailbox, are about one email', () => {
  const responses = [
    '451 4.7.1 Greylisting in action, please come back in 00:05:00',
    '450 4.2.0 <ada@example.com>: Recipient address rejected: Greylisted, see http://postgrey.example/help/example.com.html',
    '450 4.7.1 <ada@example.com>: Recipient address rejected: Greylisted for 5 minutes',
    '451 4.7.1 Service unavailable - try again later',
    '451 4.7.1 Please try again later',
    '451 4.7.0 Temporarily deferred, try again',
    '451-4.3.0 Graylisted, try again later\r\n451 4.3.0 by the policy of example.com',
    '421 4.7.1 Grey-listed, please try again',
    '451 Sender ip address rejected: you are greylisted',
    '450-4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered',
    '452 4.2.2 Mailbox full',
    '450 4.1.1 <ada@example.com>: Recipient address rejected: unverified address',
  ];
  assert.deepEqual(
    subjects(responses),
    responses.map((response) => [response, 'email']),
  );
});

test('responses that name a rate, a block or a fault of the sender or of the system are about the domain', () => {
  const responses = [
    '451 4.7.650 The mail server [192.0.2.1] has been temporarily rate limited due to IP reputation. (S775)',
    '451 4.7.500 Server busy. Please try again later from [192.0.2.1]. (AS761)',
    '451 4.7.1 Ratelimit "ip" exceeded',
    '451 4.7.1 Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints',
    '451 4.7.1 [TSS04] Messages from 192.0.2.1 temporarily deferred',
    '450 4.7.1 Error: too much mail from 192.0.2.1',
    '450 4.7.25 Client host rejected: cannot find your hostname, [192.0.2.1]',
    '450 4.7.1 Client host rejected: cannot find your reverse hostname',
    '451 4.7.24 The SPF record of the sending domain has suspicious entries',
    '450 4.7.1 Service unavailable; Client host [192.0.2.1] blocked using dnsbl.example',
    '450-4.7.28 Gmail has detected an unusual rate of unsolicited email',
    '452 4.3.1 Insufficient system storage',
    '450 4.3.2 Service currently unavailable',
    '451 4.4.1 No answer from host',
    '451 Too many messages, slow down',
  ];
  assert.deepEqual(
    subjects(responses),
    responses.map((response) => [response, 'domain']),
  );
  const [tooMany, none] = ['421 4.7.0 Try again later, closing connection', 'The mail server did not respond within 30000 ms.'];
  assert.equal(deferralSubject({ response: tooMany, isClosing: true }), 'domain');
  assert.equal(deferralSubject({ response: none, isTimeout: true }), 'domain');
});

test('other responses could be about either', () => {
  const responses = [
    '451 Temporary failure, please try again later.',
    '450 Try again',
    '450 4.1.8 The domain of ada@example.com was not found',
  ];
  assert.deepEqual(
    subjects(responses),
    responses.map((response) => [response, 'unknown']),
  );
});
