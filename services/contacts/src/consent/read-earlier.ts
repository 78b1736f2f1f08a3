import type { Consent, Contact } from '@mp/contracts/contact';
import { type ConsentBody, type ConsentsBody, consentsOfTopic } from './consent.ts';

type Said = { email?: ConsentBody | null | undefined; sms?: ConsentBody | null | undefined };

/**
 * What was read of a contact before an unsubscription and is now put back: null says that nothing was known then, and
 * not that the unsubscription is to be forgotten.
 */
export function readEarlier(before: Contact['consent'], body: ConsentsBody | undefined): ConsentsBody | undefined {
  if (!body) return body;
  const topics = Object.entries(body.topics ?? {}).map(
    ([topic, said]) => [topic, said && { ...said, ...kept(consentsOfTopic(before, topic), said) }] as const,
  );
  return { ...body, ...kept(before, body), ...(body.topics && { topics: Object.fromEntries(topics) }) };
}

const kept = (known: { email: Consent | null; sms: Consent | null }, { email, sms }: Said): Said => ({
  email: email === null && known.email?.status === 'unsubscribed' ? undefined : email,
  sms: sms === null && known.sms?.status === 'unsubscribed' ? undefined : sms,
});
