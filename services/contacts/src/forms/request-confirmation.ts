import { FormConfirmationRequested } from '@mp/contracts/events/contacts';
import type { Keyring } from '@mp/contracts/keyring';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import { linkDays, signLink } from './link-token.ts';
import type { OptInDocument, OptInsStore } from './opt-ins-store.ts';

type Deps = { optIns: Pick<OptInsStore, 'countMail'>; outbox: Outbox; linkKeys: Keyring };
/** `now` is later than now for an email that `isPaced`. */
type Asking = { email: string; now: Date; isReminder?: boolean; isPaced?: boolean };

export type RequestConfirmation = ReturnType<typeof createRequestConfirmation>;

/**
 * Requests the confirmation email of a request from campaigns, unless the address has had as many today as it may. The outbox keeps the
 * request while NATS or campaigns is unavailable. Returns the request with the number of its emails, which is part of their key.
 */
export const createRequestConfirmation =
  ({ optIns, outbox, linkKeys }: Deps) =>
  async (tx: Transaction, row: OptInDocument, { email, now, isReminder = false, isPaced = false }: Asking): Promise<OptInDocument> => {
    const { _id, account_id, contact_id, form_id, address, language, consents, after } = row;
    if (after.sender === null || !(await optIns.countMail(tx, account_id, address, now))) return row;
    const mails = row.mails + 1;
    await outbox.add(tx, FormConfirmationRequested, account_id, {
      key: `${_id}:${mails}`,
      opt_in_id: _id,
      ...{ form_id, contact_id, email, language },
      sender: after.sender,
      template_id: after.template_id,
      texts: consents.map(({ text }) => text),
      confirm_path: `/f/confirm/${signLink(linkKeys, { accountId: account_id, optInId: _id }, now)}`,
      is_reminder: isReminder,
      ...(isPaced && { due_at: now.toISOString() }),
      expires_at: new Date(now.getTime() + linkDays * 86_400_000).toISOString(),
    });
    return { ...row, mails };
  };
