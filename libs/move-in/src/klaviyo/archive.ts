import { baseName, type Cells, tableOf, utc } from '../archive.ts';
import { SourceError } from '../errors.ts';
import type { Archive, ArchiveFile, MovedRecord } from '../records.ts';
import { profileRecords } from './mapper.ts';
import type { Profile } from './types.ts';

/** The columns of Klaviyo for what a profile of its API has, under each name they have had. */
const columns = {
  ...{ id: ['klaviyo_id', 'id'], email: ['email', 'email_address'], phone_number: ['phone_number', 'phone'] },
  ...{ external_id: ['external_id'], first_name: ['first_name'], last_name: ['last_name'], organization: ['organization', 'company'] },
  ...{ title: ['title'], locale: ['locale', 'language'], created: ['profile_created_on', 'profile_created', 'created'] },
  ...{ address1: ['address_1', 'address'], address2: ['address_2'], city: ['city'], region: ['state_region', 'region', 'state'] },
  ...{ zip: ['zip_code', 'postal_code', 'zip'], country: ['country'], timezone: ['timezone', 'time_zone'] },
  consent: ['email_marketing_consent', 'email_consent', 'consent_email'],
  consentAt: ['email_marketing_consent_timestamp', 'email_consent_timestamp', 'consent_timestamp'],
  suppression: ['email_suppressions', 'email_suppression', 'suppressions'],
  sms: ['sms_marketing_consent', 'sms_consent'],
  smsAt: ['sms_marketing_consent_timestamp', 'sms_consent_timestamp'],
} as const;
const known: ReadonlySet<string> = new Set(Object.values(columns).flat());
/** What Klaviyo computes itself, which would be out of date here. */
const computed =
  /^(last_active|last_open|last_click|date_added|first_active|initial_source|predicted_|historic_|average_|churn_|expected_)/;

/** `NEVER_SUBSCRIBED` for `Never subscribed`. */
const word = (text: string | undefined) => text?.toUpperCase().replaceAll(/\W+/g, '_');

const reasons = ['HARD_BOUNCE', 'INVALID_EMAIL', 'SPAM_COMPLAINT', 'USER_SUPPRESSED', 'UNSUBSCRIBE'];

function suppressionsIn(cell: string | undefined) {
  const given = word(cell) ?? '';
  if (['', 'NONE', 'FALSE', 'NO', '_'].includes(given)) return [];
  const named = reasons.filter((reason) => given.includes(reason));
  return (named.length > 0 ? named : [given.includes('BOUNCE') ? 'HARD_BOUNCE' : given.includes('SPAM') ? 'SPAM_COMPLAINT' : given]).map(
    (reason) => ({ reason }),
  );
}

function profileOf(cells: Cells, names: ReadonlyMap<string, string>): Profile {
  const cell = (of: keyof typeof columns) => columns[of].map((name) => cells.get(name)).find(Boolean);
  const others = [...names].flatMap(([key, name]) =>
    known.has(key) || computed.test(key) || !cells.get(key) ? [] : [[name, cells.get(key)]],
  );
  const marketing = {
    consent: word(cell('consent')),
    consent_timestamp: utc(cell('consentAt')),
    suppression: suppressionsIn(cell('suppression')),
  };
  return {
    id: cell('id') ?? cell('email') ?? '',
    attributes: {
      ...{ email: cell('email'), phone_number: cell('phone_number'), external_id: cell('external_id'), first_name: cell('first_name') },
      ...{ last_name: cell('last_name'), organization: cell('organization'), title: cell('title'), locale: cell('locale') },
      created: utc(cell('created')),
      location: {
        ...{ address1: cell('address1'), address2: cell('address2'), city: cell('city'), region: cell('region') },
        ...{ zip: cell('zip'), country: cell('country'), timezone: cell('timezone') },
      },
      properties: Object.fromEntries(others),
      subscriptions: {
        email: { marketing },
        ...(cell('sms') && { sms: { marketing: { consent: word(cell('sms')), consent_timestamp: utc(cell('smsAt')) } } }),
      },
    },
  };
}

function* recordsIn(files: readonly ArchiveFile[]): Iterable<MovedRecord> {
  let isKnown = false;
  for (const { name, text } of files) {
    if (/\.html?$/i.test(name)) continue;
    const { columns: titles, keys, rows } = tableOf(text());
    if (!columns.email.some((key) => keys.includes(key))) continue;
    isKnown = true;
    const list = baseName(name);
    yield { kind: 'list', id: list, name: list };
    if (!columns.consent.some((key) => keys.includes(key)))
      yield { kind: 'note', about: `file ${list}`, why: 'has no column Email Marketing Consent; its contacts come without consent' };
    const names = new Map(keys.map((key, index) => [key, titles[index] ?? key]));
    for (const cells of rows)
      for (const record of profileRecords(profileOf(cells, names)))
        yield record.kind === 'contact' && record.consent?.status === 'subscribed' ? { ...record, lists: [list] } : record;
  }
  if (!isKnown)
    throw new SourceError('None of the files is a Klaviyo export: expected a CSV file with the column Email, exported in English.');
}

export const klaviyoArchive: Archive = {
  title: 'Klaviyo',
  describes: 'The CSV export of a list or segment, or several in a ZIP file. Choose all columns when you export it.',
  recordsIn,
  staysBehind: [
    'templates and events: they come with an API key',
    'campaigns and their reports',
    'flows',
    'segments: describe them again as dynamic segments',
    'catalogs, coupons, images, forms and reviews',
    'profiles without an email address',
  ],
};
