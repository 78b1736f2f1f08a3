import { attributeKey, attributesOf, countryOf, line, localeOf, pastTime, phoneOf, present, timezoneOf } from '../clean-fields.ts';
import type { Consent, Fields, MovedRecord, Note } from '../records.ts';
import { attributeField, output, type Translated, translateTags } from '../translate-tags.ts';
import type { List, Marketing, Profile, Template } from './types.ts';

export const listOf = ({ id, attributes: { name } }: List): MovedRecord => ({ kind: 'list', id, name });

const statuses: Readonly<Record<string, Consent['status'] | null>> = {
  SUBSCRIBED: 'subscribed',
  UNSUBSCRIBED: 'unsubscribed',
  NEVER_SUBSCRIBED: null,
};

function consentOf(marketing: Marketing | null | undefined, notes: Note[]): Consent | null {
  const given = marketing?.consent ?? 'NEVER_SUBSCRIBED';
  const status = Object.hasOwn(statuses, given) ? statuses[given] : undefined;
  if (status === undefined)
    notes.push({ about: `consent ${given.slice(0, 40)}`, why: 'is not known; these contacts come without consent' });
  if (!marketing || !status) return null;
  const { consent_timestamp, last_updated, method, method_detail, double_optin } = marketing;
  const time = status === 'unsubscribed' ? (last_updated ?? consent_timestamp) : (consent_timestamp ?? last_updated);
  const at = pastTime(time, 'date of the consent', notes);
  const source = line(['Klaviyo', method, method_detail].filter(Boolean).join(': '), 500, 'source', notes);
  const confirmed = status === 'subscribed' && double_optin === true;
  return { status, ...(confirmed && { method: 'double_opt_in' }), ...(at && { at }), ...(source && { evidence: { source } }) };
}

const reasons: Readonly<Record<string, 'hard_bounce' | 'complaint' | 'manual'>> = {
  HARD_BOUNCE: 'hard_bounce',
  INVALID_EMAIL: 'hard_bounce',
  SPAM_COMPLAINT: 'complaint',
  USER_SUPPRESSED: 'manual',
};

/** A profile: a contact, and a suppression for each reason it has. Unsubscribing is consent, not a suppression. */
export function profileRecords({ id, attributes: profile }: Profile): MovedRecord[] {
  const notes: Note[] = [];
  const { location, subscriptions } = profile;
  const part = (given: unknown, max = 200) => line(given, max, 'address', notes);
  const address = present({
    ...{ line1: part(location?.address1), line2: part(location?.address2), city: part(location?.city), region: part(location?.region) },
    ...{ postal_code: part(location?.zip, 20), country: countryOf(location?.country) },
  });
  const phone = phoneOf(profile.phone_number);
  const fields: Fields = present({
    ...{ external_id: line(profile.external_id, 255, 'external_id', notes), phone },
    ...{ first_name: line(profile.first_name, 200, 'first_name', notes), last_name: line(profile.last_name, 200, 'last_name', notes) },
    ...{ company: line(profile.organization, 200, 'company', notes), job_title: line(profile.title, 200, 'job_title', notes) },
    ...{ locale: localeOf(profile.locale), timezone: timezoneOf(location?.timezone) },
    address: Object.keys(address).length > 0 ? address : undefined,
    attributes: attributesOf({ ...profile.properties, klaviyo_created_at: pastTime(profile.created, 'created', notes) }, notes),
  });
  const marketing = subscriptions?.email?.marketing;
  const email = profile.email ?? '';
  const sms = phone === undefined ? null : consentOf(subscriptions?.sms?.marketing, notes);
  // Klaviyo once had unsubscribing as a suppression alone. When in doubt, no email.
  const unsubscribed = marketing?.suppression?.find(({ reason }) => reason === 'UNSUBSCRIBE');
  const last_updated = unsubscribed?.timestamp ?? marketing?.last_updated;
  const consent = consentOf(unsubscribed ? { ...marketing, consent: 'UNSUBSCRIBED', last_updated } : marketing, notes);
  const left = (marketing?.list_suppressions ?? []).flatMap(({ list_id }) => list_id ?? []);
  const contact: MovedRecord = { kind: 'contact', id, email, fields, consent, ...(sms && { sms }), lists: [], left, notes };
  const suppressions = (marketing?.suppression ?? []).flatMap(({ reason, timestamp }): MovedRecord[] => {
    if (reason === 'UNSUBSCRIBE') return [];
    const suppressed_at = pastTime(timestamp, 'date of the suppression', notes);
    const known = reasons[reason ?? ''] ?? 'manual';
    return [
      {
        kind: 'suppression',
        email,
        reason: known,
        note: `Klaviyo: ${reason ?? 'suppressed'}`.slice(0, 200),
        ...(suppressed_at && { suppressed_at }),
      },
    ];
  });
  return [contact, ...suppressions];
}

const tags = { tag: /\{\{[^{}]{1,300}\}\}|\{%[^{}]{1,300}%\}/g, like: /\{[{%].{0,58}/g };

const fields: Readonly<Record<string, string>> = {
  ...{ first_name: 'contact.first_name', last_name: 'contact.last_name', email: 'contact.email', phone_number: 'contact.phone' },
  ...{ organization: 'contact.company', title: 'contact.job_title', external_id: 'contact.external_id', locale: 'contact.locale' },
  ...{
    city: 'contact.address.city',
    region: 'contact.address.region',
    country: 'contact.address.country',
    zip: 'contact.address.postal_code',
  },
};
const filters: Readonly<Record<string, string>> = { title: 'capitalize', upper: 'upcase', lower: 'downcase', capfirst: 'capitalize' };

/** A variable of Klaviyo, which may look up a property with a name of several words. */
function fieldOf(name: string): string | undefined {
  const [, looked] = /^person\s*\|\s*lookup:\s*["']([^"']+)["']$/.exec(name) ?? [];
  const [, own = looked ?? ''] = /^(?:person\.)?(?:location\.)?([\w$-]+)$/.exec(name) ?? [];
  const known = Object.hasOwn(fields, own) ? fields[own] : undefined;
  const key = attributeKey(own);
  const isProperty = looked !== undefined || /^person\.[\w$-]+$/.test(name);
  return known ?? (isProperty && key !== undefined ? attributeField(key) : undefined);
}

function variable(inside: string): Translated {
  const [name = '', ...parts] = inside.split('|').map((part) => part.trim());
  const lookup = parts[0]?.startsWith('lookup:') ? `${name}|${parts.shift()}` : name;
  const field = fieldOf(lookup);
  if (field === undefined) return undefined;
  let written = field;
  let fallback: string | undefined;
  for (const part of parts) {
    const [, text] = /^default:\s*["']([^"']*)["']$/.exec(part) ?? [];
    if (text !== undefined) fallback = text;
    else if (Object.hasOwn(filters, part)) written += ` | ${filters[part]}`;
    else return undefined;
  }
  return { text: output(written, fallback) };
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function translate(tag: string): Translated {
  const inside = tag.slice(2, -2).trim();
  if (tag.startsWith('{{')) return variable(inside);
  const [word = ''] = inside.split(/\s+/, 1);
  const rest = inside.slice(word.length).trim();
  const field = fieldOf(rest);
  switch (word) {
    case 'if':
      return { opens: field && `{% if ${field} %}` };
    case 'elif':
      return { between: field && `{% elsif ${field} %}` };
    case 'else':
      return { between: '{% else %}' };
    case 'endif':
      return { closes: '{% endif %}' };
    case 'for':
    case 'with':
    case 'block':
      return { opens: undefined };
    case 'endfor':
    case 'endwith':
    case 'endblock':
      return { closes: '' };
    case 'unsubscribe':
      return { text: `<a href="{{ unsubscribe_url }}">${escaped(/^["']([^"']+)["']/.exec(rest)?.[1] ?? 'Unsubscribe')}</a>` };
    case 'unsubscribe_link':
      return { text: '{{ unsubscribe_url }}' };
    default:
      return undefined;
  }
}

/** Klaviyo's templates are Django's, which shows no recipient what is in a comment. */
const withoutComments = (html: string) =>
  html
    .replaceAll(/\{#.{0,1000}?#\}/g, '')
    .split(/\{%\s*endcomment\s*%\}/)
    .map((part, index, { length }) => (index === length - 1 ? part : part.replace(/\{%\s*comment\b[^%{}]{0,300}%\}.*/s, '')))
    .join('');

export const translateTemplate = (html: string) => translateTags(withoutComments(html), tags, translate);

export function templateOf({ attributes: { name, html } }: Template): MovedRecord {
  const { text, untranslated } = translateTemplate(html ?? '');
  return { kind: 'template', name, html: text, untranslated };
}
