import type { AccountId, ContactId } from '@mp/ids';
import type { Templates } from '@mp/templates/templates';
import { asVariant } from '../ab-tests/ab-test.ts';
import type { AudiencePages } from '../audience/audience-pages.ts';
import { assignmentOf } from '../audience/variant-assignment.ts';
import { isExpired } from '../coupons/coupon.ts';
import type { CouponsStore } from '../coupons/coupons-store.ts';
import type { Campaign } from './campaign.ts';
import type { CampaignWarning } from './campaign-warnings.ts';

type Deps = {
  coupons: Pick<CouponsStore, 'findByName' | 'left'>;
  templates: Pick<Templates, 'couponsOf'>;
  audiencePages: AudiencePages;
};

/** How long a send may count its audience. */
const maxCountMs = 2_000;

/** Counts the codes that an audience needs, by coupon. */
export type CouponNeeds = { names: ReadonlySet<string>; add: (contactId: ContactId) => void; counts: ReadonlyMap<string, number> };

export type CouponWarnings = ReturnType<typeof createCouponWarnings>;

/** Warns of coupons that have fewer codes than a campaign has recipients, or have expired. */
export function createCouponWarnings({ coupons, templates, audiencePages }: Deps) {
  /** The contacts that wait for the winner of an A/B test can get any of its variants. */
  async function needsOf(accountId: AccountId, campaign: Campaign): Promise<CouponNeeds> {
    const { ab_test } = campaign;
    const ids = ab_test ? ab_test.variants.map(({ id }) => id) : [''];
    const byVariant = new Map<string, string>();
    for (const id of ids) {
      const [name] = await templates.couponsOf({ accountId, templates: asVariant(campaign, id) });
      if (name !== undefined) byVariant.set(id, name);
    }
    const names = new Set(byVariant.values());
    const counts = new Map<string, number>();
    const namesFor = (contactId: ContactId): Iterable<string> => {
      const assigned = ab_test && assignmentOf(ab_test, campaign.id, contactId);
      if (!assigned || assigned === 'rest') return names;
      const name = byVariant.get(assigned.variant);
      return name === undefined ? [] : [name];
    };
    const add = (contactId: ContactId) => {
      if (names.size > 0) for (const name of namesFor(contactId)) counts.set(name, (counts.get(name) ?? 0) + 1);
    };
    return { names, add, counts };
  }

  /** `isWhole`: whether the counts include every recipient. */
  async function warningsOf(accountId: AccountId, { names, counts }: CouponNeeds, isWhole: boolean): Promise<CampaignWarning[]> {
    const found: CampaignWarning[] = [];
    for (const name of names) {
      const coupon = await coupons.findByName(accountId, name);
      if (!coupon) continue;
      if (isExpired(coupon)) found.push({ code: 'coupon_expired', message: `The coupon ${name} expired at ${coupon.expires_at}.` });
      if (!coupon.single_use) continue;
      const [needed, left] = [counts.get(name) ?? 0, await coupons.left(accountId, coupon.id)];
      if (needed > left) found.push({ code: 'coupon_codes_low', message: tooFew(name, { needed, left, isWhole }) });
    }
    return found;
  }

  /** The warnings at a send: counts the audience only until it is clear that the codes do not suffice, or the time is up. */
  async function atSend(accountId: AccountId, campaign: Campaign): Promise<CampaignWarning[]> {
    const needs = await needsOf(accountId, campaign);
    if (needs.names.size === 0) return [];
    const asOf = new Date();
    for (let after: string | null = null; ; ) {
      const page = await audiencePages({ accountId, audience: campaign.audience, asOf, after });
      for (const id of page.contactIds) if (!page.excluded.has(id)) needs.add(id);
      const found = await warningsOf(accountId, needs, page.next === null);
      if (found.length > 0 || page.next === null || Date.now() - asOf.getTime() > maxCountMs) return found;
      after = page.next;
    }
  }

  return { needsOf, warningsOf, atSend };
}

const inEnglish = new Intl.NumberFormat('en');

const tooFew = (name: string, { needed, left, isWhole }: { needed: number; left: number; isWhole: boolean }) =>
  `${isWhole ? '' : 'At least '}${inEnglish.format(needed)} recipients, ${inEnglish.format(left)} codes: add codes to the coupon ${name}, or the rest is skipped.`;
