import type { Consent, Contact } from '@mp/contracts/contact';
import { type ConsentBody, type ConsentsBody, consentsOfTopic } from './consent.ts';

type Said = { email?: ConsentBody | null | undefined; sms?: ConsentBody | null | undefined };

/**
 * The consent of a contact that was read before an unsubscription and is now sent back, by a request or in a file. A null in
 * it means that consent was unknown at that time; it must not clear the unsubscription.
 */
export function keepUnsubscriptions(before: Contact['consent'], body: ConsentsBody | undefined): ConsentsBody | undefined {
  if (!body) return body;
  if (body.topics === undefined) return { ...body, ...kept(before, body) };
  const named =
    body.topics === null ? Object.keys(before.topics ?? {}).map((topic) => [topic, null] as const) : Object.entries(body.topics);
  const topics = named.map(([topic, said]) => {
    const ofTopic = said ?? nothing;
    return [topic, { ...ofTopic, ...kept(consentsOfTopic(before, topic), ofTopic) }] as const;
  });
  return { ...body, ...kept(before, body), topics: Object.fromEntries(topics) };
}

const nothing = { email: null, sms: null };

const kept = (known: { email: Consent | null; sms: Consent | null }, { email, sms }: Said): Said => ({
  email: email === null && known.email?.status === 'unsubscribed' ? undefined : email,
  sms: sms === null && known.sms?.status === 'unsubscribed' ? undefined : sms,
});
