import { addressKey, isAddress } from './clean-fields.ts';
import { fitAttributes } from './fit-attributes.ts';
import { mergeContacts } from './merge-contacts.ts';
import type { Consent, MovedContact, MovedRecord, MovedSuppression, MovedTemplate, Note, Provider } from './records.ts';

/** A row of an import: the body of `POST /v2/contacts`, and the types of its attributes. */
export type Row = MovedContact['fields'] & {
  email: string;
  consent?: { email?: Consent; sms?: Consent };
  attribute_types?: Record<string, string>;
};

/** Rows that are written together, and the list that all of them enter; the largest of those that each is in. */
export type RowGroup = { list: MovedList | null; rows: Row[] };

export type MovedList = { id: string; name: string; emails: string[] };

/** Everything that is written, in a fixed order, so that a position in it stays valid after a restart. */
export type Plan = {
  rows: Row[];
  groups: RowGroup[];
  suppressions: MovedSuppression[];
  lists: MovedList[];
  templates: MovedTemplate[];
  report: Report;
};

type Finding = { what: string; why: string; count: number };

export type Report = {
  from: string;
  comes: Record<string, number>;
  /** How many events come, by their name. */
  events: { name: string; count: number }[];
  /** Not imported. */
  skipped: Finding[];
  /** Imported differently from how it is there. */
  changed: Finding[];
  untranslated: { template: string; tags: string[] }[];
  stays_behind: readonly string[];
};

function createFindings() {
  const findings = new Map<string, Finding>();
  const add = ({ about: what, why, count = 1 }: Note & { count?: number | undefined }) => {
    const key = JSON.stringify([what, why]);
    const known = findings.get(key);
    if (known) known.count += count;
    else findings.set(key, { what, why, count });
  };
  return { add, sorted: () => [...findings.values()].sort((a, b) => b.count - a.count) };
}

const maxName = 200;

/** Consent whose date is unknown must never outweigh what the contact has said here. */
const unknownTime = '1970-01-01T00:00:00.000Z';
const dated = (consent: Consent): Consent => (consent.status === 'unsubscribed' ? consent : { at: unknownTime, ...consent });

function rowOf({ email, fields, consent, sms }: MovedContact, types: Readonly<Record<string, string>>): Row {
  const said = { ...(consent && { email: dated(consent) }), ...(sms && { sms: dated(sms) }) };
  const stated = Object.fromEntries(Object.entries(types).filter(([key]) => fields.attributes && key in fields.attributes));
  return {
    ...{ email: email.normalize('NFC').trim(), ...fields },
    ...(Object.keys(said).length > 0 && { consent: said }),
    ...(Object.keys(stated).length > 0 && { attribute_types: stated }),
  };
}

/** A name that no earlier one has, because two lists, or two templates, would become one. */
function uniqueName(name: string, taken: Set<string>): string {
  const base =
    name
      .toWellFormed()
      .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
      .trim()
      .slice(0, maxName - 8)
      .toWellFormed() || 'Untitled';
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? base : `${base} (${number})`;
    if (taken.size !== taken.add(candidate.toLowerCase()).size) return candidate;
  }
}

/** Most contacts are in one list, which they enter as they are written; only the memberships of other lists come afterwards. */
function groupsOf(contacts: readonly MovedContact[], rows: readonly Row[], lists: ReadonlyMap<string, MovedList>): RowGroup[] {
  const groups = new Map<MovedList | null, Row[]>();
  for (const [index, contact] of contacts.entries()) {
    const row = rows[index];
    if (!row) continue;
    const [largest = null] = contact.lists.flatMap((id) => lists.get(id) ?? []).sort((a, b) => b.emails.length - a.emails.length);
    const group = groups.get(largest);
    if (group) group.push(row);
    else groups.set(largest, [row]);
  }
  return [...groups].map(([list, its]) => ({ list, rows: its }));
}

/** Makes one contact of each address, and says what comes, what is skipped and what changes. */
export async function planOf(
  { title, staysBehind }: Pick<Provider, 'title' | 'staysBehind'>,
  records: AsyncIterable<MovedRecord>,
): Promise<Plan> {
  const [skipped, changed] = [createFindings(), createFindings()];
  const contacts: MovedContact[] = [];
  const lists = new Map<string, MovedList>();
  const suppressions = new Map<string, MovedSuppression>();
  const templates: MovedTemplate[] = [];
  const members: { list: string; contact: string }[] = [];
  const names = { list: new Set<string>(), template: new Set<string>() };
  // Only their number: an account has many times more events than contacts.
  const events = new Map<string, number>();
  const badAddress = (what: string, email: string) =>
    skipped.add({ about: what, why: email.trim() === '' ? 'have no email address' : 'have an invalid email address' });

  for await (const record of records) {
    const valid = !('email' in record) || isAddress(record.email.trim());
    if (record.kind === 'list') {
      if (!lists.has(record.id)) lists.set(record.id, { id: record.id, name: uniqueName(record.name, names.list), emails: [] });
    } else if (record.kind === 'contact') {
      if (valid) contacts.push(record);
      else badAddress('contacts', record.email);
    } else if (record.kind === 'suppression') {
      const key = addressKey(record.email);
      if (!valid) badAddress('suppressions', record.email);
      // A complaint says more than a bounce.
      else if (!suppressions.has(key) || (record.reason === 'complaint' && suppressions.get(key)?.reason !== 'complaint'))
        suppressions.set(key, { ...record, email: record.email.trim() });
    } else if (record.kind === 'template') {
      if (record.html.trim() === '') skipped.add({ about: 'templates', why: 'have no HTML' });
      else templates.push({ ...record, name: uniqueName(record.name, names.template) });
    } else if (record.kind === 'event') {
      events.set(record.body.event, (events.get(record.body.event) ?? 0) + 1);
      for (const note of record.notes) changed.add(note);
    } else if (record.kind === 'member') members.push(record);
    else skipped.add(record);
  }

  for (const { notes } of contacts) for (const note of notes) changed.add(note);
  const merged = mergeContacts(contacts, changed.add);
  const all = [...merged.values()];
  const types = fitAttributes(all, changed.add);
  const keyById = new Map(contacts.map(({ id, email }) => [id, addressKey(email)]));
  for (const { list, contact: id } of members) {
    const contact = merged.get(keyById.get(id) ?? '');
    if (contact && !contact.left?.includes(list) && !contact.lists.includes(list)) contact.lists.push(list);
  }
  for (const { email, lists: its } of all) for (const list of its) lists.get(list)?.emails.push(email.normalize('NFC').trim());

  const withStatus = (status: Consent['status'] | undefined) => all.filter(({ consent }) => consent?.status === status).length;
  const undatedCount = all.filter(({ consent }) => consent && !consent.at && consent.status !== 'unsubscribed').length;
  for (let index = 0; index < undatedCount; index += 1)
    changed.add({ about: 'consent', why: 'has no date there and is dated 1970-01-01, so that it outweighs nothing' });
  const rows = all.map((contact) => rowOf(contact, types));
  return {
    ...{ rows, groups: groupsOf(all, rows, lists) },
    ...{ suppressions: [...suppressions.values()], lists: [...lists.values()], templates },
    report: {
      from: title,
      comes: {
        ...{
          contacts: all.length,
          subscribed: withStatus('subscribed'),
          pending: withStatus('pending'),
          unsubscribed: withStatus('unsubscribed'),
        },
        ...{ without_consent: withStatus(undefined), suppressions: suppressions.size, lists: lists.size },
        ...{ tags: new Set(all.flatMap(({ fields }) => fields.tags ?? [])).size, templates: templates.length },
        events: [...events.values()].reduce((sum, count) => sum + count, 0),
      },
      events: [...events].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count),
      ...{ skipped: skipped.sorted(), changed: changed.sorted() },
      untranslated: templates.flatMap(({ name, untranslated }) =>
        untranslated.length > 0 ? [{ template: name, tags: untranslated }] : [],
      ),
      stays_behind: staysBehind,
    },
  };
}
