import { ContactsPage } from '@mp/contracts/requests/contacts';
import { SegmentMembersPage } from '@mp/contracts/requests/segments';
import type { AccountId, ContactId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Audience } from '../campaigns/campaign.ts';

/** A page of an audience, ordered by contact ID; `next` is null at the end. */
export type AudiencePage = { contactIds: ContactId[]; excluded: ReadonlySet<string>; next: string | null };

type PageRequest = { accountId: AccountId; audience: Audience; asOf: Date; after: string | null };

/** The rows that one transaction writes. */
const pageSize = 500;
const contactsAtOnce = 200;
const excludedAtOnce = 5_000;

/** Reads the audience of a campaign as of a given time, page by page. Throws SERVICE_UNAVAILABLE if a service does not reply. */
export function createAudiencePages(broker: Pick<Broker, 'request'>) {
  async function included({ accountId, audience, asOf, after }: PageRequest) {
    if (!audience.include.includes('all')) {
      const page = await broker.request(SegmentMembersPage, {
        account_id: accountId,
        segment_ids: audience.include,
        as_of: asOf.toISOString(),
        after,
        limit: pageSize,
      });
      return { ids: page.contact_ids, next: page.next };
    }
    const { contacts, next } = await broker.request(ContactsPage, { account_id: accountId, after, limit: contactsAtOnce });
    return { ids: contacts.filter(({ created_at }) => new Date(created_at) <= asOf).map(({ id }) => id), next };
  }

  /** The IDs, of these ordered ones, that are in excluded segments. */
  async function excludedOf({ accountId, audience, asOf, after }: PageRequest, ids: readonly string[]) {
    const excluded = new Set<string>();
    const last = ids.at(-1);
    if (audience.exclude.length === 0 || last === undefined) return excluded;
    const wanted = new Set(ids);
    for (let from = after; ; ) {
      const page = await broker.request(SegmentMembersPage, {
        account_id: accountId,
        segment_ids: audience.exclude,
        as_of: asOf.toISOString(),
        after: from,
        limit: excludedAtOnce,
      });
      for (const id of page.contact_ids) if (wanted.has(id)) excluded.add(id);
      const reached = page.contact_ids.at(-1);
      if (page.next === null || reached === undefined || reached >= last) return excluded;
      from = reached;
    }
  }

  return async (request: PageRequest): Promise<AudiencePage> => {
    const { ids, next } = await included(request);
    const contactIds = [...new Set(ids)];
    return { contactIds, excluded: await excludedOf(request, contactIds), next };
  };
}

export type AudiencePages = ReturnType<typeof createAudiencePages>;
