import {
  type Channel,
  type Consent,
  ConsentMethod,
  ConsentStatus,
  ConsentTopic,
  type Contact,
  type TopicConsents,
} from '@mp/contracts/contact';
import { invalid } from '@mp/contracts/errors';
import { formId } from '@mp/contracts/ids';
import { PastMoment } from '@mp/contracts/moment';
import { z } from 'zod';

export const channels = ['email', 'sms'] as const satisfies Channel[];

export const maxEvidenceSource = 500;

/** Proof of what a person agreed to. Kept in the consent log and never published. */
export const Evidence = z.strictObject({
  ip: z.union([z.ipv4(), z.ipv6()]).optional(),
  source: z.string().max(maxEvidenceSource).optional().describe('Where consent was given, such as a form, a page or a shop.'),
  text: z.string().max(2_000).optional().describe('The text the person was shown.'),
  user_agent: z.string().max(500).optional().describe('The `User-Agent` of the browser.'),
  form_id: formId.optional().describe('The form in which consent was given.'),
  form_version: z.number().int().optional().describe('The version of the form.'),
  submitted_at: z.iso.datetime().optional().describe('When the form was submitted, if consent was confirmed later.'),
});
export type Evidence = z.infer<typeof Evidence>;

const ConsentBody = z.strictObject({
  status: ConsentStatus,
  method: ConsentMethod.optional(),
  at: PastMoment.optional().describe(
    'When consent was given or withdrawn; defaults to now and cannot be in the future. A change older than the current unsubscription ' +
      'is logged but has no effect. `pending` never replaces an unsubscription.',
  ),
  evidence: Evidence.optional(),
});
export type ConsentBody = z.output<typeof ConsentBody>;

const onChannels = { email: ConsentBody.nullable(), sms: ConsentBody.nullable() };
const ChannelsBody = z.strictObject(onChannels).partial();

/** The consent a caller can change: an omitted channel or topic keeps its consent, null clears it. */
export const ConsentsBody = z
  .strictObject({
    ...onChannels,
    topics: z.record(ConsentTopic, ChannelsBody.nullable()).nullable().describe('Consent by topic, such as `newsletter`.'),
  })
  .partial();
export type ConsentsBody = z.output<typeof ConsentsBody>;

export const maxTopics = 50;

/** `method` applies to consents that do not state one. */
export function consentsAfter(
  before: Contact['consent'],
  body: ConsentsBody | undefined,
  now: Date,
  method: ConsentMethod,
): Contact['consent'] {
  if (body === undefined) return before;
  const given = { now, method };
  const topics = topicsAfter(before.topics ?? {}, body.topics, given);
  return {
    email: consentAfter(before.email, body.email, given),
    sms: consentAfter(before.sms, body.sms, given),
    ...(Object.keys(topics).length > 0 && { topics }),
  };
}

type Given = { now: Date; method: ConsentMethod };

function topicsAfter(before: TopicConsents, body: ConsentsBody['topics'], given: Given): TopicConsents {
  if (body === undefined) return before;
  if (body === null) return {};
  const after = new Map(Object.entries(before));
  for (const [topic, change] of Object.entries(body)) {
    const was = after.get(topic) ?? { email: null, sms: null };
    const is = { email: consentAfter(was.email, change?.email, given), sms: consentAfter(was.sms, change?.sms, given) };
    if (change === null || (is.email === null && is.sms === null)) after.delete(topic);
    else after.set(topic, is);
  }
  if (after.size > maxTopics && after.size > Object.keys(before).length)
    throw invalid('/consent/topics', 'too_big', `A contact can have at most ${maxTopics} consent topics.`);
  return Object.fromEntries([...after].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function consentAfter(before: Consent | null, change: ConsentBody | null | undefined, { now, method }: Given): Consent | null {
  if (change === undefined) return before;
  if (change === null) return null;
  if (isOutdated(before, change)) return before;
  const unchanged =
    before &&
    change.status === before.status &&
    (change.method ?? before.method) === before.method &&
    (change.at ?? before.at) === before.at;
  return unchanged ? before : { status: change.status, method: change.method ?? method, at: change.at ?? now.toISOString() };
}

/**
 * Consent dated before an unsubscription, from an older file or a late event, never replaces it. Nor does `pending`, which is not consent:
 * after it, nothing would be left that an older consent is compared with.
 */
function isOutdated(before: Consent | null, { status, at }: Pick<ConsentBody, 'status' | 'at'>): boolean {
  if (before?.status !== 'unsubscribed') return false;
  if (status === 'pending') return true;
  if (at === undefined) return false;
  const [said, withdrawn] = [Date.parse(at), Date.parse(before.at)];
  return said < withdrawn || (said === withdrawn && status !== 'unsubscribed');
}

/** `outdated` is a consent that had no effect because a newer unsubscription was known. */
export type ConsentStep = {
  channel: Channel;
  topic: string | null;
  before: Consent | null;
  after: Consent | null;
  outdated: Consent | null;
};

export type Withdrawal = { channel: Channel; topic: string | null; consent: Consent };

const none = { email: null, sms: null };

/** The consent for one topic. A topic may have the name of an inherited property, hence `hasOwn`. */
export const consentsOfTopic = (consent: Contact['consent'] | undefined, topic: string): TopicConsents[string] =>
  (consent?.topics && Object.hasOwn(consent.topics, topic) ? consent.topics[topic] : undefined) ?? none;

/** The differences, one step per channel and topic. */
export function consentSteps(before: Contact['consent'] | undefined, after: Contact['consent']): ConsentStep[] {
  const topics = [...new Set([...Object.keys(before?.topics ?? {}), ...Object.keys(after.topics ?? {})])];
  return [null, ...topics].flatMap((topic) => {
    const [was, is] = topic === null ? [before ?? none, after] : [consentsOfTopic(before, topic), consentsOfTopic(after, topic)];
    return channels
      .filter((channel) => !sameConsent(was[channel], is[channel]))
      .map((channel) => ({ channel, topic, before: was[channel], after: is[channel], outdated: null }));
  });
}

/** Consents from the caller that are older than an unsubscription, one step per channel and topic; they are only logged. */
export function outdatedSteps(before: Contact['consent'], body: ConsentsBody | undefined, method: ConsentMethod): ConsentStep[] {
  const of = (topic: string | null, was: TopicConsents[string], said: z.output<typeof ChannelsBody> | null | undefined) =>
    channels.flatMap((channel) => {
      const [known, change] = [was[channel], said?.[channel]];
      if (!change?.at || !isOutdated(known, change)) return [];
      const outdated = { status: change.status, at: change.at, method: change.method ?? method };
      return [{ channel, topic, before: known, after: known, outdated }];
    });
  const topics = Object.entries(body?.topics ?? {});
  return [...of(null, before, body), ...topics.flatMap(([topic, said]) => of(topic, consentsOfTopic(before, topic), said))];
}

/** The evidence the caller gave for one step. */
export function evidenceOf(body: ConsentsBody | undefined, { channel, topic }: ConsentStep): Evidence | null {
  const change = topic === null ? body : new Map(Object.entries(body?.topics ?? {})).get(topic);
  return change?.[channel]?.evidence ?? null;
}

export const sameConsent = (a: Consent | null, b: Consent | null) => a?.status === b?.status && a?.method === b?.method && a?.at === b?.at;
