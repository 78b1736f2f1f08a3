import type { Consent, Contact } from '@mp/contracts/contact';
import type { Transaction } from '@mp/service-kit/mongo';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { type ConsentBody, type ConsentsBody, channels, consentsOfTopic } from './consent.ts';

type Channels = { [channel in (typeof channels)[number]]?: ConsentBody | null | undefined };

const isRepeated = (known: Consent | null, said: ConsentBody | null | undefined) =>
  known?.status === 'unsubscribed' && said?.status === 'unsubscribed' && said.at === undefined;

/**
 * What was said of a contact's consent, an unsubscription that is said again dated now if others were merged into the
 * contact. It may have been only one of them that had unsubscribed before; now all have, and undoing a merge must see that.
 */
export async function sinceMerge(
  contacts: Pick<ContactsStore, 'idsOf'>,
  tx: Transaction,
  accountId: string,
  { id, consent }: Contact,
  body: ConsentsBody | undefined,
): Promise<ConsentsBody | undefined> {
  const topics = Object.entries(body?.topics ?? {});
  const repeats = (known: { email: Consent | null; sms: Consent | null }, said: Channels | null | undefined) =>
    channels.some((channel) => isRepeated(known[channel], said?.[channel]));
  const isAny = repeats(consent, body) || topics.some(([topic, said]) => repeats(consentsOfTopic(consent, topic), said));
  if (!body || !isAny || (await contacts.idsOf(accountId, id, tx)).length === 1) return body;

  const at = new Date().toISOString();
  const dated = <Said extends Channels>(known: { email: Consent | null; sms: Consent | null }, said: Said): Said => {
    const again = channels.flatMap((channel) => (isRepeated(known[channel], said[channel]) ? [[channel, { ...said[channel], at }]] : []));
    return { ...said, ...Object.fromEntries(again) };
  };
  return {
    ...dated(consent, body),
    ...(body.topics && {
      topics: Object.fromEntries(topics.map(([topic, said]) => [topic, said && dated(consentsOfTopic(consent, topic), said)])),
    }),
  };
}
