import type { Consent, Contact } from '@mp/contracts/contact';
import { contactTexts } from '@mp/contracts/contact-texts';
import { invalid } from '@mp/contracts/errors';
import { consentsOfTopic, maxTopics, sameConsent, type Withdrawal } from '../consent/consent.ts';
import { same } from '../contacts/contact.ts';
import { fitAttributes, maxAttributes, maxTags } from '../contacts/contact-body.ts';
import type { MergeRecord } from './merge.ts';

/** Fields the surviving contact takes from the other if it has no value. */
const completed = [...contactTexts, 'address'] as const;

/**
 * The surviving contact after the merge: its own values win, missing ones are taken from the other, tags and attributes
 * are combined, and an unsubscription of either applies.
 */
export function survivingContact(contact: Contact, source: Contact): Contact {
  const taken = Object.fromEntries(completed.map((name) => [name, contact[name] ?? source[name]]));
  const tags = [...new Set([...contact.tags, ...source.tags])];
  const attributes = { ...source.attributes, ...contact.attributes };
  if (tags.length > maxTags)
    throw invalid('/source_id', 'too_big', `Together the contacts have ${tags.length} tags; a contact can have at most ${maxTags}.`);
  if (Object.keys(attributes).length > maxAttributes)
    throw invalid('/source_id', 'too_big', `Together the contacts have more than the ${maxAttributes} attributes a contact can have.`);
  if (!fitAttributes(attributes))
    throw invalid('/source_id', 'too_big', 'Together the contacts have more than the 64 KiB of attributes a contact can have.');
  const topicNames = [...new Set([...Object.keys(contact.consent.topics ?? {}), ...Object.keys(source.consent.topics ?? {})])].sort();
  if (topicNames.length > maxTopics)
    throw invalid(
      '/source_id',
      'too_big',
      `Together the contacts have ${topicNames.length} consent topics; a contact can have at most ${maxTopics}.`,
    );
  const topics = topicNames.map((topic) => {
    const [own, other] = [consentsOfTopic(contact.consent, topic), consentsOfTopic(source.consent, topic)];
    return [topic, { email: stricter(own.email, other.email), sms: stricter(own.sms, other.sms) }] as const;
  });
  return {
    ...contact,
    ...taken,
    tags,
    attributes,
    consent: {
      email: stricter(contact.consent.email, source.consent.email),
      sms: stricter(contact.consent.sms, source.consent.sms),
      ...(topics.length > 0 && { topics: Object.fromEntries(topics) }),
    },
    created_at: contact.created_at < source.created_at ? contact.created_at : source.created_at,
    last_seen_at:
      [contact.last_seen_at, source.last_seen_at]
        .filter((at) => at !== null)
        .toSorted()
        .at(-1) ?? null,
  };
}

/** The more restrictive consent. Of two unsubscriptions the later one, because it also withdraws consent given in between. */
function stricter(own: Consent | null, other: Consent | null): Consent | null {
  if (own?.status === 'unsubscribed') return other?.status === 'unsubscribed' && Date.parse(other.at) > Date.parse(own.at) ? other : own;
  if (other === null) return own;
  return own === null || other.status === 'unsubscribed' ? other : own;
}

/**
 * The surviving contact without the values the merge added: fields not changed since the merge are restored, and changes
 * made since are kept.
 */
export function survivorBefore({ contact: before, merged }: MergeRecord, now: Contact): Contact {
  const back = <Value>(is: Value, was: Value, original: Value): Value => (same(is, was) ? original : is);
  const brought = new Set(merged.tags.filter((tag) => !before.tags.includes(tag)));
  const topicNames = [...new Set([...topicsOf(now), ...topicsOf(merged), ...topicsOf(before)])].sort();
  const topics = topicNames.flatMap((topic) => {
    const [is, was, original] = [now, merged, before].map(({ consent }) => consentsOfTopic(consent, topic));
    if (!is || !was || !original) return [];
    const consents = { email: back(is.email, was.email, original.email), sms: back(is.sms, was.sms, original.sms) };
    return consents.email || consents.sms ? [[topic, consents] as const] : [];
  });
  const of = ({ attributes }: Contact) => new Map(Object.entries(attributes));
  const [is, was, original] = [of(now), of(merged), of(before)];
  const attributes = [...new Set([...is.keys(), ...original.keys()])].flatMap((key) => {
    const value = back(is.get(key), was.get(key), original.get(key));
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    ...now,
    ...Object.fromEntries(completed.map((name) => [name, back<unknown>(now[name], merged[name], before[name])])),
    tags: now.tags.filter((tag) => !brought.has(tag)),
    attributes: Object.fromEntries(attributes),
    consent: {
      email: back(now.consent.email, merged.consent.email, before.consent.email),
      sms: back(now.consent.sms, merged.consent.sms, before.consent.sms),
      ...(topics.length > 0 && { topics: Object.fromEntries(topics) }),
    },
    created_at: before.created_at,
    last_seen_at: back(now.last_seen_at, merged.last_seen_at, before.last_seen_at),
  };
}

const topicsOf = ({ consent }: Contact) => Object.keys(consent.topics ?? {});

/** The merged contact as it was, with the unsubscriptions, from channels and topics, that were made while the two were one. */
export function sourceBefore({ source, merged }: MergeRecord, now: Contact): Contact {
  const withdrawn = (original: Consent | null, was: Consent | null, is: Consent | null) =>
    is?.status === 'unsubscribed' && !sameConsent(was, is) ? is : original;
  const topicNames = [...new Set([...topicsOf(source), ...topicsOf(now)])].sort();
  const topics = topicNames.flatMap((topic) => {
    const [original, was, is] = [source, merged, now].map(({ consent }) => consentsOfTopic(consent, topic));
    if (!original || !was || !is) return [];
    const consents = { email: withdrawn(original.email, was.email, is.email), sms: withdrawn(original.sms, was.sms, is.sms) };
    return consents.email || consents.sms ? [[topic, consents] as const] : [];
  });
  return {
    ...source,
    consent: {
      email: withdrawn(source.consent.email, merged.consent.email, now.consent.email),
      sms: withdrawn(source.consent.sms, merged.consent.sms, now.consent.sms),
      ...(topics.length > 0 && { topics: Object.fromEntries(topics) }),
    },
  };
}

/**
 * Applies to one of the two the `late` withdrawals: recorded since the merge, but dated before the unsubscription the merged
 * contact had. They had no effect on the merged contact, and that unsubscription may have been the other contact's.
 */
export function afterLateWithdrawals(contact: Contact, now: Contact, late: readonly Withdrawal[]): Contact {
  let { consent } = contact;
  for (const { channel, topic, consent: said } of late) {
    const of = (consents: Contact['consent']) => (topic === null ? consents : consentsOfTopic(consents, topic));
    if (of(now.consent)[channel]?.status !== 'unsubscribed' || of(consent)[channel]?.status === 'unsubscribed') continue;
    const { topics, ...own } = consent;
    const ofTopics = topic === null ? topics : { ...topics, [topic]: { ...of(consent), [channel]: said } };
    const sorted = ofTopics && Object.fromEntries(Object.entries(ofTopics).sort(([a], [b]) => (a < b ? -1 : 1)));
    consent = { ...own, ...(topic === null && { [channel]: said }), ...(sorted && { topics: sorted }) };
  }
  return { ...contact, consent };
}
