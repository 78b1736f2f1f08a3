import type { AccountId } from '@mp/ids';
import type { Templates } from '@mp/templates/templates';
import type { MailToCompose } from '../delivery/sending/compose-in-thread.ts';
import type { Claimed } from '../ledger/recipients/claimed-row.ts';
import type { RecipientsQueue } from '../ledger/recipients/recipients-queue.ts';
import type { SendableContent } from '../messages/contents-store.ts';
import { isExpired } from './coupon.ts';
import type { CodeHolder } from './coupon-codes.ts';
import type { CouponsStore } from './coupons-store.ts';

type Email = { row: Claimed; mail: MailToCompose };

/** `refused` are rows that get no code, and therefore no email. */
export type Coded = {
  emails: readonly Email[];
  refused: { row: Claimed; reason: 'coupon_exhausted' | 'coupon_expired'; detail: string }[];
};

export type GiveCodes = ReturnType<typeof createGiveCodes>;

type Deps = {
  coupons: Pick<CouponsStore, 'findByName' | 'give'>;
  queue: Pick<RecipientsQueue, 'keepCouponCodes'>;
  templates: Pick<Templates, 'couponsOf'>;
};

/**
 * Gives each of these emails of one content the code of its coupon, if the content reads one. A row keeps its code through retries and
 * restarts, and the emails of a run have the same one; tests get none.
 */
export function createGiveCodes({ coupons, queue, templates }: Deps) {
  const read = new WeakMap<SendableContent, Promise<string | undefined>>();

  /** The coupon that the content reads. Contents are cached, so each is parsed about once. */
  function couponOf(accountId: AccountId, content: SendableContent): Promise<string | undefined> {
    const known = read.get(content);
    if (known) return known;
    const found = templates.couponsOf({ accountId, templates: content.content }).then(([name]) => name);
    found.catch(() => read.delete(content));
    read.set(content, found);
    return found;
  }

  return async (accountId: AccountId, content: SendableContent | undefined, emails: readonly Email[]): Promise<Coded> => {
    const [first] = emails;
    const name = first && content && first.row.category !== 'test' ? await couponOf(accountId, content) : undefined;
    if (name === undefined) return { emails, refused: [] };
    const refuseAll = (reason: Coded['refused'][number]['reason'], detail: string): Coded => ({
      emails: [],
      refused: emails.map(({ row }) => ({ row, reason, detail })),
    });
    const coupon = await coupons.findByName(accountId, name);
    if (!coupon) return refuseAll('coupon_exhausted', `The coupon ${name} no longer exists.`);
    if (isExpired(coupon)) return refuseAll('coupon_expired', `The coupon ${name} expired at ${coupon.expires_at}.`);
    const given = await coupons.give(
      accountId,
      coupon,
      emails.map(({ row }) => holderOf(row)),
    );
    const coded = emails.flatMap(({ row, mail }) => {
      const code = given.get(holderOf(row));
      return code === undefined ? [] : [{ row: { ...row, coupon_code: code }, mail: { ...mail, couponCode: code } }];
    });
    await queue.keepCouponCodes(coded.map(({ row }) => row));
    const refused = emails.filter(({ row }) => !given.has(holderOf(row)));
    return {
      emails: coded,
      refused: refused.map(({ row }) => ({ row, reason: 'coupon_exhausted', detail: `The coupon ${name} had no codes left.` })),
    };
  };
}

const holderOf = ({ _id, run_id }: Claimed): CodeHolder => run_id ?? _id;
