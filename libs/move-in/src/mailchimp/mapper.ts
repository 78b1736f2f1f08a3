import { attributeKey, attributesOf, countryOf, ipOf, line, localeOf, pastTime, phoneOf, present, tagsOf } from '../clean-fields.ts';
import type { Consent, Fields, MovedRecord, Note } from '../records.ts';
import { attributeField, output, type Translated, translateTags } from '../translate-tags.ts';
import type { AbuseReport, List, Member, MergeField } from './types.ts';

/** The merge fields that every audience begins with. */
const ownFields: Readonly<Record<string, string>> = {
  FNAME: 'contact.first_name',
  LNAME: 'contact.last_name',
  EMAIL: 'contact.email',
  PHONE: 'contact.phone',
  COMPANY: 'contact.company',
};

export const listOf = ({ id, name }: List): MovedRecord => ({ kind: 'list', id, name });

function addressOf(value: unknown, notes: Note[]): Fields['address'] {
  if (typeof value !== 'object' || value === null) return undefined;
  const { addr1, addr2, city, state, zip, country } = Object.fromEntries(Object.entries(value));
  const part = (given: unknown, max = 200) => line(given, max, 'address', notes);
  const address = present({
    ...{
      line1: part(addr1),
      line2: part(addr2),
      city: part(city),
      region: part(state),
      postal_code: part(zip, 20),
      country: countryOf(country),
    },
  });
  return Object.keys(address).length > 0 ? address : undefined;
}

function consentOf(member: Member, notes: Note[]): Consent | null {
  const evidence = present({
    ip: ipOf(member.ip_opt) ?? ipOf(member.ip_signup),
    source: line(['Mailchimp', member.source].filter(Boolean).join(': '), 500, 'source', notes),
    submitted_at: pastTime(member.timestamp_signup, 'timestamp_signup', notes),
  });
  const at = (...times: unknown[]) => times.map((time) => pastTime(time, 'date of the consent', notes)).find((time) => time !== undefined);
  switch (member.status) {
    case 'subscribed':
      return { status: 'subscribed', evidence, ...present({ at: at(member.timestamp_opt, member.timestamp_signup) }) };
    case 'pending':
      return { status: 'pending', evidence, ...present({ at: at(member.timestamp_signup) }) };
    case 'unsubscribed': {
      const why = line(member.unsubscribe_reason, 400, 'unsubscribe_reason', notes);
      const source = `Mailchimp${why ? `: ${why}` : ''}`;
      return { status: 'unsubscribed', evidence: { source }, ...present({ at: at(member.last_changed) }) };
    }
    case 'cleaned':
    case 'transactional':
      return null;
    default:
      notes.push({ about: `status ${String(member.status).slice(0, 40)}`, why: 'is not known; these contacts come without consent' });
      return null;
  }
}

/** A member of an audience: a contact, and a suppression if its address bounced. Archived members stay behind. */
export function memberRecords(member: Member, list: string): MovedRecord[] {
  const notes: Note[] = [];
  if (member.status === 'archived') return [{ kind: 'note', about: 'archived members', why: 'are not in the audience any more' }];
  const { FNAME, LNAME, PHONE, COMPANY, ADDRESS, ...others } = member.merge_fields ?? {};
  const phone = phoneOf(PHONE);
  const kept = { ...others, ...(phone === undefined && { phone: PHONE }), ...(typeof ADDRESS === 'string' && { ADDRESS }) };
  const address = addressOf(ADDRESS, notes);
  const created = pastTime(member.timestamp_signup, 'timestamp_signup', []) ?? pastTime(member.timestamp_opt, 'timestamp_opt', []);
  if (Object.values(member.interests ?? {}).some((value) => value === true))
    notes.push({ about: 'groups', why: 'of an audience do not come along; make a tag of each in Mailchimp to keep them' });
  const email = member.email_address ?? '';
  const fields: Fields = present({
    ...{ first_name: line(FNAME, 200, 'first_name', notes), last_name: line(LNAME, 200, 'last_name', notes), phone },
    ...{ company: line(COMPANY, 200, 'company', notes), locale: localeOf(member.language), address },
    tags: tagsOf(
      (member.tags ?? []).map(({ name }) => name),
      notes,
    ),
    attributes: attributesOf({ ...kept, mailchimp_created_at: created }, notes),
  });
  const left = member.status === 'unsubscribed' || member.status === 'cleaned';
  const contact: MovedRecord = {
    ...{ kind: 'contact', id: `${list}/${member.id}`, email, fields, notes, consent: consentOf(member, notes) },
    ...{ lists: left ? [] : [list], left: left ? [list] : [] },
  };
  if (member.status !== 'cleaned') return [contact];
  const suppressed_at = pastTime(member.last_changed, 'last_changed', notes);
  return [
    contact,
    { kind: 'suppression', email, reason: 'hard_bounce', note: 'Mailchimp: cleaned', ...(suppressed_at && { suppressed_at }) },
  ];
}

export function complaintOf({ email_address, date }: AbuseReport): MovedRecord {
  const suppressed_at = pastTime(date, 'date', []);
  return {
    kind: 'suppression',
    email: email_address ?? '',
    reason: 'complaint',
    note: 'Mailchimp: abuse report',
    ...(suppressed_at && { suppressed_at }),
  };
}

/** The merge field of `*|MERGE5|*` by its number, if all audiences agree. */
export function numberedFields(fields: readonly MergeField[]): ReadonlyMap<string, string | null> {
  const byNumber = new Map<string, string | null>([['MERGE0', 'EMAIL']]);
  for (const { merge_id, tag } of fields) {
    const name = `MERGE${merge_id}`;
    const known = byNumber.get(name);
    byNumber.set(name, known === undefined || known === tag ? tag : null);
  }
  return byNumber;
}

const tags = { tag: /\*\|[^|*]{1,200}\|\*/g, like: /\*(?:\||%7C).{0,58}/gi };
/** As editors write a tag into a link. */
const encodedTag = /\*%7C([^|*]{1,200}?)%7C\*/gi;
const oneEach: Readonly<Record<string, string>> = {
  UNSUB: '{{ unsubscribe_url }}',
  'CAMPAIGN:NAME': '{{ campaign.name }}',
  CURRENT_YEAR: '{{ "now" | date: "%Y" }}',
};

/** The HTML of a template with its merge tags in Liquid. `tags` are those of the merge fields of all audiences. */
export function translateTemplate(html: string, fields: readonly MergeField[]) {
  const numbered = numberedFields(fields);
  const known = new Set(fields.map(({ tag }) => tag));
  const fieldOf = (name: string): string | undefined => {
    const tag = numbered.get(name) ?? name;
    const key = attributeKey(tag);
    return ownFields[tag] ?? (known.has(tag) && key !== undefined ? attributeField(key) : undefined);
  };
  const translate = (whole: string): Translated => {
    const tag = whole.slice(2, -2).trim();
    const [, word = '', name = ''] = /^(IF|ELSEIF|IFNOT|ELSE|END):\s*(.*)$/.exec(tag) ?? [];
    const field = fieldOf(name);
    if (word === 'IF') return { opens: field && `{% if ${field} %}` };
    if (word === 'IFNOT') return { opens: field && `{% if ${field} == blank %}` };
    if (word === 'ELSEIF') return { between: field && `{% elsif ${field} %}` };
    if (word === 'ELSE') return { between: '{% else %}' };
    if (word === 'END') return { closes: '{% endif %}' };
    const [, filter, inner = tag] = /^(TITLE|UPPER|LOWER):(.+)$/.exec(tag) ?? [];
    const found = fieldOf(inner);
    const filters: Readonly<Record<string, string>> = { TITLE: ' | capitalize', UPPER: ' | upcase', LOWER: ' | downcase' };
    const text = oneEach[tag] ?? (found && output(`${found}${filters[filter ?? ''] ?? ''}`));
    return text === undefined ? undefined : { text };
  };
  const decoded = html.replaceAll(encodedTag, (_, tag: string) => `*|${tag.replaceAll(/%3A/gi, ':')}|*`);
  return translateTags(decoded, tags, translate);
}

export function templateOf(name: string, html: string, fields: readonly MergeField[]): MovedRecord {
  const { text, untranslated } = translateTemplate(html, fields);
  return { kind: 'template', name, html: text, untranslated };
}

/** Mailchimp gives out the HTML of a template only as that of a campaign. */
export const unusedTemplate: MovedRecord = {
  ...{ kind: 'note', about: 'templates', why: 'were used for no campaign, which is where Mailchimp gives out their HTML' },
};
