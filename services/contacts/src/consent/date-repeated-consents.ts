import type { Consent, Contact } from '@mp/contracts/contact';
import type { AccountId, ContactId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { MergesStore } from '../merges/merges-store.ts';
import { type ConsentBody, type ConsentsBody, channels, consentsOfTopic, sameConsent } from './consent.ts';

type Known = { email: Consent | null; sms: Consent | null };
type Channels = { [channel in (typeof channels)[number]]?: ConsentBody | null | undefined };

const isBare = (said: ConsentBody | null | undefined) => said?.status === 'unsubscribed' && said.at === undefined;

/** Whether it contains an unsubscription without a date, which may repeat a known one. */
const mayRepeat = (body: ConsentsBody | undefined) =>
  body !== undefined &&
  [body, ...Object.values(body.topics ?? {})].some((said: Channels | null) => channels.some((channel) => isBare(said?.[channel])));

/** The consent of each contact after the newest merge into it; read only if one of the bodies may repeat an unsubscription. */
export const consentsAtMerge = async (
  merges: Pick<MergesStore, 'consents'>,
  tx: Transaction,
  accountId: AccountId,
  { ids, bodies }: { ids: readonly ContactId[]; bodies: readonly (ConsentsBody | undefined)[] },
): Promise<Map<ContactId, Contact['consent']>> =>
  ids.length > 0 && bodies.some(mayRepeat) ? merges.consents(accountId, ids, tx) : new Map();

/**
 * Dates a repeated unsubscription of a merged contact now. Before, perhaps only one of the merged contacts had unsubscribed;
 * now all of them have, and undoing the merge must see that. An unsubscription made since the merge is not dated again.
 */
export function dateRepeatedConsents(
  known: Contact['consent'],
  body: ConsentsBody | undefined,
  atMerge: Contact['consent'] | undefined,
  now = new Date(),
): ConsentsBody | undefined {
  if (!body || !atMerge) return body;
  const dated = <Said extends Channels>(is: Known, was: Known, said: Said): Said => {
    const again = channels.flatMap((channel) => {
      const [before, change] = [is[channel], said[channel]];
      if (before?.status !== 'unsubscribed' || !isBare(change) || !sameConsent(before, was[channel])) return [];
      const at = new Date(Math.max(now.getTime(), Date.parse(before.at) + 1)).toISOString();
      return [[channel, { ...change, at }]];
    });
    return { ...said, ...Object.fromEntries(again) };
  };
  const topics = Object.entries(body.topics ?? {}).map(
    ([topic, said]) => [topic, said && dated(consentsOfTopic(known, topic), consentsOfTopic(atMerge, topic), said)] as const,
  );
  return { ...dated(known, atMerge, body), ...(body.topics && { topics: Object.fromEntries(topics) }) };
}
