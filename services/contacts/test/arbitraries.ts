import { isOneLine } from '@mp/contracts/text';
import type { Client } from '@mp/test-kit/client';
import fc from 'fast-check';

const text = (maxLength: number) =>
  fc.oneof(
    fc.string({ unit: 'grapheme', maxLength }),
    // Text that can break files: quotes, delimiters, line endings, formulas, apostrophes, and text that looks like another type.
    fc.stringMatching(new RegExp(`^['"=+@;,|\\t\\r\\n -]{0,${Math.min(8, maxLength)}}$`)),
    fc.constantFrom(
      '=1+1',
      "'=1",
      '-5',
      '+49',
      '@x',
      '\n=1',
      '＝1',
      "'＠x",
      'true',
      '12',
      '2026-05-01',
      '[1]',
      '{"a":1}',
      'null',
      'Zoë',
      '\u212b',
      ' padded ',
      '"',
    ),
  );

/** Names contain no line breaks. */
const line = (maxLength: number) => text(maxLength).filter((value) => isOneLine(value.trim()));

/** The largest number that JSON represents exactly. */
const largest = Number.MAX_SAFE_INTEGER;

const moment = fc.date({ min: new Date('2001-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }).map((date) => date.toISOString());

/** Consent is never in the future. */
const past = moment.filter((at) => at < '2026-06-01');

const consent = fc.record(
  {
    status: fc.constantFrom('subscribed', 'pending', 'unsubscribed'),
    method: fc.constantFrom('api', 'form', 'import', 'double_opt_in', 'link'),
    at: past,
  },
  { requiredKeys: ['status'] },
);

/** Attributes of one account, each key with one type. `declareTexts` declares those whose text may look like a date. */
const attributes = fc.record(
  {
    note: text(50),
    seats: fc
      .oneof(fc.integer(), fc.double({ noNaN: true, min: -largest, max: largest }))
      .map((value) => (Object.is(value, -0) ? 0 : value)),
    trial: fc.boolean(),
    since: moment.map((at) => at.slice(0, 10)),
    // A valid key that is also an inherited property of every object.
    constructor: text(10),
    langs: fc.array(text(20).filter(Boolean), { maxLength: 3 }),
  },
  { requiredKeys: [] },
);

/** Gives the attributes whose values may look like dates the type text; deletes the contact it creates for that. */
export async function declareTexts(account: Client) {
  const { data } = await account.post('/v2/contacts', {
    email: 'declares@example.com',
    attributes: { note: 'a text', constructor: 'a text' },
  });
  await account.delete(`/v2/contacts/${data.id}`);
}

/** Everything a caller can set on a contact, except identifiers. */
export const contactMembers = fc.record(
  {
    first_name: line(60),
    last_name: line(60),
    company: line(60),
    job_title: line(60),
    locale: fc.constantFrom('de-DE', 'en', 'zh-Hant-TW'),
    timezone: fc.constantFrom('Europe/Berlin', 'UTC', 'America/New_York'),
    address: fc.record(
      { line1: text(60), city: text(60), postal_code: text(20), country: fc.constantFrom('DE', 'FR') },
      { requiredKeys: [] },
    ),
    tags: fc.uniqueArray(
      line(30)
        .map((tag) => tag.trim().normalize('NFC'))
        .filter((tag) => tag.length > 0 && tag.length <= 64),
      { maxLength: 4 },
    ),
    attributes,
    consent: fc.record(
      {
        email: fc.option(consent),
        sms: fc.option(consent),
        topics: fc.dictionary(fc.constantFrom('news', 'offers', 'constructor'), fc.record({ email: consent }), { maxKeys: 2 }),
      },
      { requiredKeys: [] },
    ),
    source: line(40),
  },
  { requiredKeys: [] },
);
