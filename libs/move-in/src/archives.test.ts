import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { batchesOf, filesOf } from './archive.ts';
import { SourceError } from './errors.ts';
import { klaviyoArchive } from './klaviyo/archive.ts';
import { listmonkArchive } from './listmonk/archive.ts';
import { mailchimpArchive } from './mailchimp/archive.ts';
import { planOf } from './plan.ts';
import type { Archive } from './records.ts';

const zip = (files: Record<string, string>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));

const plan = (archive: Archive, name: string, bytes: Uint8Array) =>
  planOf(
    archive,
    (async function* () {
      for (const { records } of batchesOf(archive.recordsIn(filesOf(name, bytes)), null)) yield* records;
    })(),
  );

const subscribed = [
  'Email Address,First Name,Last Name,Address,Phone Number,Shoe size,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,LAST_CHANGED,LEID,EUID,NOTES,TAGS',
  'ada@example.com,Ada,Lovelace,"1 Main St, London",+49 30 901820,39,2,"2024-02-29 09:00:00",203.0.113.7,"2024-03-01 10:00:00",203.0.113.8,"2024-05-01 10:00:00",1,e1,,"""vip"",""early bird"""',
].join('\n');
const unsubscribed = [
  'Email Address,First Name,OPTIN_TIME,CONFIRM_TIME,UNSUB_TIME,UNSUB_CAMPAIGN_TITLE,UNSUB_REASON,UNSUB_REASON_OTHER,TAGS',
  'left@example.com,Bo,"2024-01-01 10:00:00","2024-01-01 10:00:00","2024-06-01 10:00:00",Spring,NORMAL,"Too many",',
].join('\n');
const cleaned = 'Email Address,CLEAN_TIME,CLEAN_CAMPAIGN_TITLE\nbad@example.com,"2024-07-01 10:00:00",Spring';
const archive = {
  'lists/News/subscribed_members_export_0a1b2c3d.csv': subscribed,
  'lists/News/unsubscribed_members_export_0a1b2c3d.csv': unsubscribed,
  'lists/News/cleaned_members_export_0a1b2c3d.csv': cleaned,
  'lists/News/nonsubscribed_members_export_0a1b2c3d.csv': 'Email Address\nshop@example.com',
  'templates/Welcome_letter.html': '<p>Hi *|FNAME|* *|SHOESIZE|* *|LIST:NAME|*</p>',
  '__MACOSX/lists/._x.csv': 'junk',
};

test('Mailchimp: the files of an export become contacts with consent and evidence, suppressions, the audience, tags and templates', async () => {
  const { rows, suppressions, lists, templates, report } = await plan(mailchimpArchive, 'export.zip', zip(archive));
  const [ada, left, bad, shop] = ['ada', 'left', 'bad', 'shop'].map((name) => rows.find(({ email }) => email === `${name}@example.com`));
  assert.deepEqual([ada?.first_name, ada?.last_name, ada?.phone, ada?.tags], ['Ada', 'Lovelace', '+4930901820', ['vip', 'early bird']]);
  assert.deepEqual(ada?.consent?.email, {
    status: 'subscribed',
    at: '2024-03-01T10:00:00.000Z',
    evidence: { ip: '203.0.113.8', source: 'Mailchimp', submitted_at: '2024-02-29T09:00:00.000Z' },
  });
  assert.deepEqual(ada?.attributes, { address: '1 Main St, London', shoesize: '39', mailchimp_created_at: '2024-02-29T09:00:00.000Z' });
  assert.deepEqual(left?.consent?.email, {
    status: 'unsubscribed',
    at: '2024-06-01T10:00:00.000Z',
    evidence: { source: 'Mailchimp: Too many' },
  });
  assert.deepEqual([bad?.consent, shop?.consent], [undefined, undefined]);
  assert.deepEqual(
    suppressions.map(({ email, reason, suppressed_at }) => [email, reason, suppressed_at]),
    [['bad@example.com', 'hard_bounce', '2024-07-01T10:00:00.000Z']],
  );
  assert.deepEqual(
    lists.map(({ name, emails }) => [name, emails]),
    [['News', ['ada@example.com', 'shop@example.com']]],
  );
  assert.deepEqual(templates[0], {
    ...{ kind: 'template', name: 'Welcome letter', untranslated: ['*|LIST:NAME|*'] },
    html: '<p>Hi {{ contact.first_name }} {{ contact.attributes.shoesize }} </p>',
  });
  assert.deepEqual(report.skipped, []);
});

test('Klaviyo: the export of a list becomes contacts with consent, suppressions and the list', async () => {
  const csv = [
    'Email,Klaviyo ID,First Name,Phone Number,City,Country,Email Marketing Consent,Email Marketing Consent Timestamp,Email Suppressions,Profile Created On,Last Active,Shoe size',
    'ada@example.com,K1,Ada,+4930901820,Berlin,Germany,SUBSCRIBED,2024-03-01 10:00:00,,2023-01-01 10:00:00,2024-09-01,39',
    'never@example.com,K2,Bo,,,,NEVER_SUBSCRIBED,,,,,',
    "left@example.com,K3,Cy,,,,Unsubscribed,2024-06-01 10:00:00,['UNSUBSCRIBE'],,,",
    "bad@example.com,K4,Di,,,,SUBSCRIBED,2024-01-01 10:00:00,['HARD_BOUNCE'],,,",
  ].join('\n');
  const { rows, suppressions, lists } = await plan(klaviyoArchive, 'Newsletter.csv', strToU8(csv));
  assert.deepEqual(
    rows.map(({ email, consent }) => [email, consent?.email?.status, consent?.email?.at]),
    [
      ['ada@example.com', 'subscribed', '2024-03-01T10:00:00.000Z'],
      ['never@example.com', undefined, undefined],
      ['left@example.com', 'unsubscribed', '2024-06-01T10:00:00.000Z'],
      ['bad@example.com', 'subscribed', '2024-01-01T10:00:00.000Z'],
    ],
  );
  assert.deepEqual(
    [rows[0]?.address, rows[0]?.attributes],
    [
      { city: 'Berlin', country: 'DE' },
      { shoe_size: '39', klaviyo_created_at: '2023-01-01T10:00:00.000Z' },
    ],
  );
  assert.deepEqual(
    suppressions.map(({ email, reason }) => [email, reason]),
    [['bad@example.com', 'hard_bounce']],
  );
  assert.deepEqual(
    lists.map(({ name, emails }) => [name, emails]),
    [['Newsletter', ['ada@example.com', 'bad@example.com']]],
  );
});

test('listmonk: its CSV has no subscriptions, so contacts come without consent, and blocklisted ones are suppressed', async () => {
  const csv = [
    'uuid,email,name,attributes,status,created_at,updated_at',
    'u1,ada@example.com,Ada Lovelace,"{""city"": ""Berlin""}",enabled,2024-03-01 10:00:00.123456 +0000 UTC,2024-03-01 10:00:00 +0000 UTC',
    'u2,bad@example.com,Bo,not json,blocklisted,2024-03-01T10:00:00Z,2024-04-01T10:00:00+02:00',
  ].join('\n');
  const { rows, suppressions, report } = await plan(listmonkArchive, 'subscribers.csv', strToU8(csv));
  assert.deepEqual(rows[0], {
    ...{ email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace' },
    attributes: { city: 'Berlin', listmonk_created_at: '2024-03-01T10:00:00.123Z' },
  });
  assert.deepEqual(
    suppressions.map(({ email, suppressed_at }) => [email, suppressed_at]),
    [['bad@example.com', '2024-04-01T08:00:00.000Z']],
  );
  assert.match(report.skipped.map(({ why }) => why).join(), /come without consent and lists/);
});

test('reading an archive can resume after any batch', () => {
  const lines = Array.from({ length: 12_000 }, (_, index) => `p${index}@example.com`);
  const csv = strToU8(`Email\n${lines.join('\n')}`);
  const read = (after: string | null) => [...batchesOf(klaviyoArchive.recordsIn(filesOf('List.csv', csv)), after)];
  const whole = read(null);
  assert.ok(whole.length > 2);
  for (const [index, { next }] of whole.entries())
    assert.deepEqual(
      read(next).flatMap(({ records }) => records),
      whole.slice(index + 1).flatMap(({ records }) => records),
    );
});

/** Sets the size that the directory of a ZIP archive states for its only file. */
function withStatedSize(bytes: Uint8Array, size: number): Uint8Array {
  const changed = bytes.slice();
  const view = new DataView(changed.buffer);
  for (let at = 0; at < changed.length - 4; at += 1) if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, size, true);
  return changed;
}

test('hostile archives: no archive, one too large, a broken one or one of another system is explained in the error message', async () => {
  const bomb = zip({ 'subscribed.csv': `Email Address\n${'a'.repeat(5_000_000)}` });
  assert.ok(bomb.length < 50_000);
  assert.throws(() => filesOf('bomb.zip', withStatedSize(bomb, 2 ** 31)), /larger than 1 GiB unpacked/);
  const [lying] = filesOf('bomb.zip', withStatedSize(bomb, 30));
  assert.ok((lying?.text().length ?? 0) <= 30, 'no more is unpacked than the archive states');
  const broken = zip(archive).slice(0, 300);
  await assert.rejects(async () => plan(mailchimpArchive, 'broken.zip', broken), SourceError);
  await assert.rejects(async () => plan(mailchimpArchive, 'x.csv', strToU8('a,b\n1,2')), /None of the files is a Mailchimp audience/);
  await assert.rejects(async () => plan(klaviyoArchive, 'x.csv', strToU8('')), /None of the files is a Klaviyo export/);
  await assert.rejects(async () => plan(listmonkArchive, 'x.csv', strToU8('email\nx')), /None of the files is a listmonk export/);
  await assert.rejects(async () => plan(klaviyoArchive, 'x.csv', new Uint8Array([0xff, 0xfe, 69, 0])), /UTF-16/);
  const names = filesOf('x.zip', zip({ '../../etc/passwd.csv': 'Email\na@example.com', 'run.exe': 'x' })).map(({ name }) => name);
  assert.deepEqual(names, ['../../etc/passwd.csv'], 'a name is only a label, and nothing is written under it');
});

test('hostile tables: quotes that do not end, columns that repeat, formulas, control characters and prototype names are data', async () => {
  const csv = [
    'Email,First Name,First Name,__proto__,constructor,Email Marketing Consent',
    'a@example.com,=HYPERLINK("http://x"),Eve,polluted,x,SUBSCRIBED',
    'b@example.com,"A\u0000\u0007\u202Eda",,,,SUBSCRIBED,too,many,cells',
    '"c@example.com,never closed',
  ].join('\n');
  const { rows } = await plan(klaviyoArchive, 'List.csv', strToU8(csv));
  assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
  assert.equal(rows[0]?.email, 'a@example.com');
  assert.equal(/\p{Cc}/u.test(rows[1]?.first_name ?? ''), false);
  assert.ok(rows.every(({ email }) => /^[ab]@example\.com$/.test(email)));
});
