import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSuppressions } from './suppression-files.ts';

const at = '2024-03-01T10:00:00.000Z';
const files: [string, string, [string, string, string | undefined][]][] = [
  [
    'Amazon SES',
    'EmailAddress,Reason,LastUpdateTime\na@x.com,BOUNCE,2024-03-01T10:00:00Z\nb@x.com,COMPLAINT,2024-03-01T10:00:00Z',
    [
      ['a@x.com', 'hard_bounce', at],
      ['b@x.com', 'complaint', at],
    ],
  ],
  ['Amazon SES', 'Email address,Reason,Last update time\na@x.com,Bounce,2024-03-01T10:00:00Z', [['a@x.com', 'hard_bounce', at]]],
  [
    'Postmark',
    'EmailAddress,SuppressionReason,Origin,CreatedAt\na@x.com,HardBounce,Recipient,2024-03-01T05:00:00-05:00\nb@x.com,SpamComplaint,Recipient,2024-03-01T10:00:00Z\nc@x.com,ManualSuppression,Customer,2024-03-01T10:00:00Z',
    [
      ['a@x.com', 'hard_bounce', at],
      ['b@x.com', 'complaint', at],
      ['c@x.com', 'manual', at],
    ],
  ],
  [
    'Mailgun bounces',
    'address,code,error,created_at\na@x.com,550,"No such mailbox, sorry","Fri, 01 Mar 2024 10:00:00 UTC"\nb@x.com,421,Busy,"Fri, 01 Mar 2024 10:00:00 UTC"',
    [['a@x.com', 'hard_bounce', at]],
  ],
  ['Mailgun complaints', 'address,created_at\na@x.com,"Fri, 01 Mar 2024 10:00:00 GMT"', [['a@x.com', 'complaint', at]]],
  ['Mailgun unsubscribes', 'address,tags,created_at\na@x.com,*,"Fri, 01 Mar 2024 10:00:00 GMT"', [['a@x.com', 'manual', at]]],
  [
    'SendGrid bounces',
    'status,reason,email,created\n5.1.1,550 no such user,a@x.com,1709287200\n4.2.2,full,b@x.com,1709287200',
    [['a@x.com', 'hard_bounce', at]],
  ],
  ['SendGrid spam reports', 'email,ip,created\na@x.com,203.0.113.7,1709287200', [['a@x.com', 'complaint', at]]],
  [
    'SendGrid blocks or invalid emails',
    'email,reason,created\na@x.com,Mail domain mentioned in email address does not exist,2024-03-01 10:00:00\nb@x.com,450 try later,1709287200',
    [['a@x.com', 'hard_bounce', at]],
  ],
  [
    'Amazon SES',
    '{"SuppressedDestinationSummaries": [{"EmailAddress": "a@x.com", "Reason": "BOUNCE", "LastUpdateTime": "2024-03-01T10:00:00+00:00"}, {"EmailAddress": "b@x.com", "Reason": "COMPLAINT", "LastUpdateTime": 1709287200.0}]}',
    [
      ['a@x.com', 'hard_bounce', at],
      ['b@x.com', 'complaint', at],
    ],
  ],
  [
    'Postmark',
    '{"Suppressions": [{"EmailAddress": "a@x.com", "SuppressionReason": "HardBounce", "CreatedAt": "2024-03-01T10:00:00Z"}]}',
    [['a@x.com', 'hard_bounce', at]],
  ],
  [
    'Mailgun bounces',
    '{"paging": {}, "items": [{"address": "a@x.com", "code": "550", "error": "No such mailbox", "created_at": "Fri, 01 Mar 2024 10:00:00 UTC"}]}',
    [['a@x.com', 'hard_bounce', at]],
  ],
  ['SendGrid spam reports', '[{"created": 1709287200, "email": "a@x.com", "ip": "203.0.113.7"}]', [['a@x.com', 'complaint', at]]],
  [
    'Plain list',
    'email;domain;reason;suppressed_at\na@x.com;;hard_bounce;2024-03-01T10:00:00Z\n;x.org;Manual;2024-03-01 10:00:00',
    [
      ['a@x.com', 'hard_bounce', at],
      ['x.org', 'manual', at],
    ],
  ],
  [
    'Plain list',
    'email,reason,created\na@x.com,bounced,2024-03-01 10:00:00\nb@x.com,complaint,',
    [
      ['a@x.com', 'hard_bounce', at],
      ['b@x.com', 'complaint', undefined],
    ],
  ],
  ['SendGrid unsubscribes', 'email,created\na@x.com,2024-03-01 10:00:00', [['a@x.com', 'manual', at]]],
];

test('exports of Amazon SES, Postmark, Mailgun and SendGrid, as CSV or JSON, and plain lists are recognised by their columns; temporary failures are left out', () => {
  for (const [title, content, expected] of files) {
    const found = readSuppressions(content);
    assert.deepEqual(
      [found.title, found.rows.map(({ email, domain, reason, suppressed_at }) => [email ?? domain, reason, suppressed_at])],
      [title, expected],
    );
  }
});

test('duplicates become one, of which a complaint counts; invalid addresses and dates are named with their line', () => {
  const { rows, skipped } = readSuppressions(
    '\uFEFFEmailAddress,Reason,LastUpdateTime\r\na@x.com,BOUNCE,2999-01-01T00:00:00Z\r\nA@X.com,COMPLAINT,2024-03-01T10:00:00Z\r\nnobody,BOUNCE,\r\nb@x.com,BOUNCE,soon\r\n',
  );
  assert.deepEqual(
    rows.map(({ email, reason, suppressed_at }) => [email, reason, suppressed_at]),
    [
      ['A@X.com', 'complaint', at],
      ['b@x.com', 'hard_bounce', undefined],
    ],
  );
  assert.deepEqual(
    skipped.map(({ line, why }) => `${line} ${why}`),
    [
      '2 its date is in the future and is left out; it counts from now',
      '4 has no valid email address',
      '5 its date is not a date; it counts from now',
    ],
  );
});

test('a file of another kind is rejected with what is known', () => {
  assert.throws(() => readSuppressions('name,phone\nAda,1'), /do not match an export of .*SendGrid: name, phone/);
  assert.throws(() => readSuppressions('a,"b\nc'), /not valid CSV/);
  assert.throws(() => readSuppressions('{"a": [1'), /not valid JSON/);
  for (const other of ['{}', '[]', '[1, null]', '{"items": []}']) assert.throws(() => readSuppressions(other), /do not match an export of/);
  assert.throws(() => readSuppressions('email,reason,suppressed_at\na@x.com,greylisted,'), /email or domain, reason \(hard_bounce/);
});
