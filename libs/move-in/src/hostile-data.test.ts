import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profileRecords } from './klaviyo/mapper.ts';
import { klaviyo } from './klaviyo/provider.ts';
import { bounceRecords, subscriberRecords } from './listmonk/mapper.ts';
import { listmonk } from './listmonk/provider.ts';
import { complaintOf, memberRecords } from './mailchimp/mapper.ts';
import { mailchimp } from './mailchimp/provider.ts';
import { planOf } from './plan.ts';
import type { MovedRecord, Provider } from './records.ts';

async function* each(records: MovedRecord[]) {
  yield* records;
}
const plan = (provider: Provider, records: MovedRecord[]) => planOf(provider, each(records));
const why = (findings: { what: string; why: string; count: number }[]) => findings.map((one) => `${one.count} ${one.what}: ${one.why}`);
const list = (id: string): MovedRecord => ({ kind: 'list', id, name: `List ${id}` });
const future = '2999-01-01T00:00:00+00:00';

test('Mailchimp: long names, HTML, invalid addresses, unknown statuses and dates in the future are cut, kept as text, skipped and named', async () => {
  const { rows, report } = await plan(mailchimp, [
    ...memberRecords(
      {
        id: '1',
        email_address: 'Ada@Example.com ',
        status: 'subscribed',
        timestamp_opt: future,
        timestamp_signup: '2023-05-01T00:00:00+00:00',
        ip_opt: 'not an ip',
        merge_fields: { FNAME: 'A'.repeat(200_000), LNAME: '<script>alert(1)</script>', SHOESIZE: 39, __proto__: 'x' },
      },
      'a',
    ),
    ...memberRecords({ id: '2', email_address: 'not an address', status: 'subscribed' }, 'a'),
    ...memberRecords({ id: '3', email_address: null, status: 'subscribed' }, 'a'),
    ...memberRecords({ id: '4', email_address: 'odd@example.com', status: 'haunted' }, 'a'),
    ...memberRecords({ id: '5', email_address: 'old@example.com', status: 'archived' }, 'a'),
  ]);
  const [ada, odd] = rows;
  assert.deepEqual([ada?.first_name?.length, ada?.last_name], [200, '<script>alert(1)</script>']);
  assert.deepEqual(ada?.consent?.email, {
    status: 'subscribed',
    evidence: { source: 'Mailchimp', submitted_at: '2023-05-01T00:00:00.000Z' },
    at: '2023-05-01T00:00:00.000Z',
  });
  assert.deepEqual(ada?.attributes, { shoesize: 39, mailchimp_created_at: '2023-05-01T00:00:00.000Z' });
  assert.equal(odd?.consent, undefined);
  assert.equal(rows.length, 2);
  assert.deepEqual(why(report.skipped).sort(), [
    '1 archived members: are not in the audience any more',
    '1 contacts: have an invalid email address',
    '1 contacts: have no email address',
  ]);
  const changed = why(report.changed).join('\n');
  assert.match(changed, /1 first_name: is longer than 200 characters and is cut/);
  assert.match(changed, /date of the consent: is in the future/);
  assert.match(changed, /status haunted: is not known/);
});

test('Mailchimp: cleaned and complained addresses are suppressed with their date, and left audiences add nobody to their segment', async () => {
  const joined = { status: 'subscribed', timestamp_opt: '2024-01-01T00:00:00+00:00', ip_opt: '203.0.113.7' };
  const left = { status: 'unsubscribed', last_changed: '2024-06-01T00:00:00+00:00', unsubscribe_reason: 'Too many' };
  const { rows, suppressions, lists, report } = await plan(mailchimp, [
    ...[list('a'), list('b')],
    ...memberRecords({ id: '1', email_address: 'both@example.com', ...joined }, 'a'),
    ...memberRecords({ id: '1', email_address: 'BOTH@example.com', ...left }, 'b'),
    ...memberRecords({ id: '2', email_address: 'gone@example.com', ...left }, 'a'),
    ...memberRecords({ id: '3', email_address: 'bad@example.com', status: 'cleaned', last_changed: '2024-02-02T00:00:00+00:00' }, 'a'),
    complaintOf({ id: 1, email_address: 'bad@example.com', date: '2024-03-03T00:00:00+00:00' }),
  ]);
  assert.deepEqual(
    rows.map(({ email, consent }) => [email, consent?.email?.status]),
    [
      ['both@example.com', 'subscribed'],
      ['gone@example.com', 'unsubscribed'],
      ['bad@example.com', undefined],
    ],
  );
  assert.deepEqual(rows[1]?.consent?.email, {
    status: 'unsubscribed',
    evidence: { source: 'Mailchimp: Too many' },
    at: '2024-06-01T00:00:00.000Z',
  });
  assert.equal(rows[0]?.consent?.email?.evidence?.ip, '203.0.113.7');
  assert.deepEqual(
    suppressions.map(({ email, reason, suppressed_at }) => [email, reason, suppressed_at]),
    [['bad@example.com', 'complaint', '2024-03-03T00:00:00.000Z']],
  );
  assert.deepEqual(
    lists.map(({ emails }) => emails),
    [['both@example.com'], []],
  );
  assert.match(why(report.changed).join('\n'), /have left one list and are subscribed to another/);
});

test('Klaviyo: suppressions keep their reason, unsubscribing withdraws consent, and properties of mixed types become text', async () => {
  const records = (email: string, marketing: object, properties: Record<string, unknown> = {}) =>
    profileRecords({
      id: email,
      attributes: { email, phone_number: '+49 30 901820', external_id: 'same', properties, subscriptions: { email: { marketing } } },
    });
  const { rows, suppressions, lists, report } = await plan(klaviyo, [
    list('L1'),
    ...records(
      'a@example.com',
      { consent: 'SUBSCRIBED', consent_timestamp: '2024-01-01T00:00:00Z', double_optin: true },
      { plan: 1, seen: '2024-01-01', deep: { a: 1 }, many: ['x', 2] },
    ),
    ...records(
      'b@example.com',
      { consent: 'UNSUBSCRIBED', suppression: [{ reason: 'UNSUBSCRIBE', timestamp: '2024-01-01T00:00:00Z' }] },
      { plan: 'pro', seen: 'never' },
    ),
    ...records('c@example.com', {
      consent: 'NEVER_SUBSCRIBED',
      suppression: [{ reason: 'HARD_BOUNCE', timestamp: '2024-01-01T00:00:00Z' }],
    }),
    ...records('d@example.com', { consent: 'SUBSCRIBED', list_suppressions: [{ list_id: 'L1', reason: 'UNSUBSCRIBE', timestamp: null }] }),
    ...['a@example.com', 'd@example.com', 'nobody'].map((contact): MovedRecord => ({ kind: 'member', list: 'L1', contact })),
  ]);
  assert.deepEqual(rows[0]?.consent?.email, {
    status: 'subscribed',
    method: 'double_opt_in',
    at: '2024-01-01T00:00:00.000Z',
    evidence: { source: 'Klaviyo' },
  });
  assert.deepEqual(
    [rows[0]?.attributes?.plan, rows[1]?.attributes?.plan, rows[0]?.attribute_types],
    ['1', 'pro', { plan: 'string', seen: 'string' }],
  );
  assert.deepEqual(rows[0]?.attributes?.many, ['x', '2']);
  assert.deepEqual(
    rows.map(({ phone, external_id }) => [phone, external_id]),
    [
      ['+4930901820', 'same'],
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined],
    ],
  );
  assert.deepEqual(
    suppressions.map(({ email, reason }) => [email, reason]),
    [['c@example.com', 'hard_bounce']],
  );
  assert.deepEqual(lists[0]?.emails, ['a@example.com']);
  assert.equal(rows[3]?.consent?.email?.at, '1970-01-01T00:00:00.000Z', 'consent without a date outweighs nothing');
  assert.match(why(report.changed).join('\n'), /attribute deep: is nested/);
});

test('Klaviyo: a suppression for unsubscribing outweighs the consent, and keeps its date; spam is a complaint', () => {
  const suppression = [{ reason: 'UNSUBSCRIBE', timestamp: '2024-06-01T00:00:00Z' }, { reason: 'SPAM_COMPLAINT' }];
  const marketing = { consent: 'SUBSCRIBED', consent_timestamp: '2024-01-01T00:00:00Z', last_updated: '2024-01-01T00:00:00Z', suppression };
  const [contact, suppressed] = profileRecords({
    id: 'a',
    attributes: { email: 'a@example.com', subscriptions: { email: { marketing } } },
  });
  const consent = contact?.kind === 'contact' ? contact.consent : undefined;
  assert.deepEqual([consent?.status, consent?.at], ['unsubscribed', '2024-06-01T00:00:00.000Z']);
  assert.ok(suppressed?.kind === 'suppression' && suppressed.reason === 'complaint');
});

test('listmonk: blocklisted subscribers are suppressed, soft bounces are not, and single opt-in needs no confirmation', async () => {
  const of = (id: number, status: string, lists: object[]) =>
    subscriberRecords({
      id,
      email: `s${id}@example.com`,
      name: 'Ada Augusta Lovelace',
      status,
      lists: lists.map((one) => ({ id: 1, ...one })),
      updated_at: '2024-04-04T00:00:00Z',
    });
  const { rows, suppressions, lists } = await plan(listmonk, [
    ...[list('1'), list('2')],
    ...of(1, 'enabled', [{ optin: 'double', subscription_status: 'unconfirmed' }]),
    ...of(2, 'enabled', [
      { optin: 'single', subscription_status: 'unconfirmed' },
      { id: 2, subscription_status: 'unsubscribed' },
    ]),
    ...of(3, 'blocklisted', [{ subscription_status: 'unsubscribed' }]),
    ...of(4, 'disabled', [{ subscription_status: 'confirmed' }]),
    ...of(5, 'enabled', []),
    ...bounceRecords({ id: 1, email: 's1@example.com', type: 'soft' }),
    ...bounceRecords({ id: 2, email: 's5@example.com', type: 'complaint', created_at: '2024-05-05T00:00:00Z' }),
  ]);
  assert.deepEqual(
    rows.map(({ consent }) => consent?.email?.status),
    ['pending', 'subscribed', 'unsubscribed', undefined, undefined],
  );
  assert.deepEqual([rows[0]?.first_name, rows[0]?.last_name], ['Ada Augusta', 'Lovelace']);
  assert.deepEqual(
    suppressions.map(({ email, reason }) => [email, reason]),
    [
      ['s3@example.com', 'manual'],
      ['s5@example.com', 'complaint'],
    ],
  );
  assert.deepEqual(
    lists.map(({ emails }) => emails.length),
    [3, 0],
  );
});
