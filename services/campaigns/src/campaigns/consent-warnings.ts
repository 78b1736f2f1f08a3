import { setTimeout } from 'node:timers/promises';
import type { Contact } from '@mp/contracts/contact';
import { ApiError } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import type { AudiencePages } from '../audience/audience-pages.ts';
import type { FindMailable } from '../audience/contactables/mailable-contacts.ts';
import { consentInForce } from '../audience/contactables/mailable-contacts.ts';
import type { RecipientsStore } from '../ledger/recipients/recipients-store.ts';
import type { Campaign } from './campaign.ts';
import type { CampaignWarning } from './campaign-warnings.ts';

type Deps = { audiencePages: AudiencePages; findMailable: FindMailable; recipients: Pick<RecipientsStore, 'emailedSince'> };

const maxAgeDays = 365;
/** How long a send may read its audience, and how long it waits for the pages of it. */
const maxCountMs = 700;
const patienceMs = 1_000;

export type ConsentWarnings = ReturnType<typeof createConsentWarnings>;

/**
 * Warns of recipients whose consent is older than a year and who have had no marketing email from the account since, as after moving in
 * from another system: many of them have forgotten it.
 */
export function createConsentWarnings({ audiencePages, findMailable, recipients }: Deps) {
  /** How many of these contacts have such a consent. */
  async function count(accountId: AccountId, contacts: readonly Contact[], topic: string | null, now: Date): Promise<number> {
    const since = new Date(now.getTime() - maxAgeDays * 86_400_000);
    const old = contacts.filter((contact) => {
      const consent = consentInForce(contact, topic);
      return consent !== null && new Date(consent.at) < since;
    });
    if (old.length === 0) return 0;
    const ids = old.map(({ id }) => id);
    const emailed = await recipients.emailedSince(accountId, ids, since);
    return ids.filter((id) => !emailed.has(id)).length;
  }

  const warningsOf = (recipients: number, isWhole: boolean): CampaignWarning[] =>
    recipients === 0 ? [] : [{ code: 'old_consent', message: messageOf(recipients, isWhole) }];

  /** The warnings with the recipients that can be read in the time. */
  async function read(accountId: AccountId, { audience, topic }: Campaign): Promise<CampaignWarning[]> {
    const asOf = new Date();
    let found = 0;
    for (let after: string | null = null; ; ) {
      const page = await audiencePages({ accountId, audience, asOf, after });
      const ids = page.contactIds.filter((id) => !page.excluded.has(id));
      const verdicts = await findMailable(accountId, ids, { keep: false, topic });
      const mailable = [...verdicts.values()].flatMap(({ contact, reason }) => (contact && !reason ? [contact] : []));
      found += await count(accountId, mailable, topic, asOf);
      if (page.next === null || Date.now() - asOf.getTime() > maxCountMs) return warningsOf(found, page.next === null);
      after = page.next;
    }
  }

  /** The warnings at a send, which does not depend on them: without an answer of contacts and segments in time, there are none. */
  async function atSend(accountId: AccountId, campaign: Campaign): Promise<CampaignWarning[]> {
    const waiting = new AbortController();
    const inTime = read(accountId, campaign).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE') return [];
      throw error;
    });
    try {
      return await Promise.race([inTime, setTimeout(patienceMs, [], { signal: waiting.signal })]);
    } finally {
      waiting.abort();
    }
  }

  return { count, warningsOf, atSend };
}

const inEnglish = new Intl.NumberFormat('en');

const messageOf = (recipients: number, isWhole: boolean) =>
  `${isWhole ? '' : 'At least '}${inEnglish.format(recipients)} ${recipients === 1 ? 'recipient' : 'recipients'} gave consent more than a ` +
  'year ago and got no email from this account since. Such emails are often reported as spam: begin with those who agreed last, or ask ' +
  'for consent again.';
