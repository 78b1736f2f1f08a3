import { CampaignCoupons } from '@mp/contracts/requests/campaigns';
import type { AccountId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Clock } from '@mp/service-kit/clock';
import type { Templates } from '@mp/templates/templates';
import { z } from 'zod';
import { asVariant } from '../workflows/as-variant.ts';
import type { Definition } from '../workflows/definition.ts';
import type { FetchTemplate } from '../workflows/fetch-template.ts';
import { messageOfStep } from '../workflows/message-of-step.ts';

export const ActivationWarning = z
  .object({
    code: z
      .enum(['coupon_codes_low', 'coupon_expired'])
      .describe(
        '`coupon_codes_low`: a coupon that an email uses has no codes left, or fewer than contacts can start. `coupon_expired`: it hands out no more codes.',
      ),
    message: z.string().describe('What is wrong, and what follows from it.'),
  })
  .meta({ id: 'WorkflowActivationWarning' });
type ActivationWarning = z.output<typeof ActivationWarning>;

type Deps = { templates: Pick<Templates, 'couponsOf'>; fetchTemplate: FetchTemplate; broker: Pick<Broker, 'request'>; clock: Clock };

export type FindCouponWarnings = ReturnType<typeof createFindCouponWarnings>;

/**
 * Warns of coupons that emails of these workflows use and that have expired, or have fewer codes than contacts that can start. A run has
 * one code of a coupon for all its emails. Without campaigns, there are no warnings: a workflow can be activated without it.
 */
export function createFindCouponWarnings({ templates, fetchTemplate, broker, clock }: Deps) {
  async function couponsOf(accountId: AccountId, workflows: readonly Pick<Definition, 'steps'>[]): Promise<Set<string>> {
    const names = new Set<string>();
    const sends = workflows.flatMap(({ steps }) => steps.flatMap((step) => (step.type === 'send' ? [step] : [])));
    // One after the other, so that the memory never holds more than one template.
    for (const step of sends)
      for (const sent of step.variants ? step.variants.map((variant) => asVariant(step, variant)) : [step]) {
        const one = await messageOfStep(fetchTemplate, accountId, sent);
        if ('problem' in one) continue;
        for (const name of await templates.couponsOf({ accountId, templates: one.message })) names.add(name);
      }
    return names;
  }

  /** `contacts`: how many can start at once. */
  return async (accountId: AccountId, workflows: readonly Pick<Definition, 'steps'>[], contacts: number): Promise<ActivationWarning[]> => {
    const names = [...(await couponsOf(accountId, workflows))].slice(0, maxCounted);
    if (names.length === 0) return [];
    const { counted } = await broker.request(CampaignCoupons, { account_id: accountId, count: names }).catch(() => ({ counted: [] }));
    return counted.flatMap(({ name, codes_left, expires_at }): ActivationWarning[] => {
      if (expires_at !== null && new Date(expires_at) <= clock())
        return [{ code: 'coupon_expired', message: `The coupon ${name} expired at ${expires_at}. ${withoutCode}` }];
      if (codes_left === null || (codes_left > 0 && codes_left >= contacts)) return [];
      return [{ code: 'coupon_codes_low', message: `${tooFew(name, codes_left, contacts)} ${withoutCode}` }];
    });
  };
}

/** What one request counts. */
const maxCounted = 100;

const withoutCode = 'Emails without a code are skipped.';
const inEnglish = new Intl.NumberFormat('en');

const tooFew = (name: string, left: number, contacts: number) =>
  left === 0
    ? `The coupon ${name} has no codes left.`
    : `The coupon ${name} has ${inEnglish.format(left)} ${left === 1 ? 'code' : 'codes'} left; ${inEnglish.format(contacts)} contacts can start now.`;
