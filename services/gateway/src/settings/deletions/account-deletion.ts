import { accountErasingServices } from '@mp/contracts/account-erasure';
import type { AccountId } from '@mp/ids';
import type { AccountStatus } from '../accounts/account.ts';

/** What must be confirmed before an account is erased: first the other services in any order, then the gateway itself. */
export const receiptServices = [...accountErasingServices, 'gateway'] as const;
export type ReceiptService = (typeof receiptServices)[number];

export type Receipt = { at: Date; removed: Record<string, number> };

/** Kept as proof. It identifies the account only by an id that no longer refers to anything. */
export type AccountDeletion = {
  accountId: AccountId;
  status: 'scheduled' | 'running' | 'completed';
  /** The account's status before, for a cancellation. */
  statusBefore: AccountStatus;
  requestedAt: Date;
  /** When the grace period ends. */
  eraseAt: Date;
  completedAt: Date | null;
  /** When the services were last requested to erase the account. */
  erasureRequestedAt: Date | null;
  receipts: Partial<Record<ReceiptService, Receipt>>;
};

/** As commands print it. */
export const deletionView = ({ accountId, status, requestedAt, eraseAt, completedAt, receipts }: AccountDeletion) => ({
  account_id: accountId,
  status,
  requested_at: requestedAt.toISOString(),
  erase_at: eraseAt.toISOString(),
  completed_at: completedAt?.toISOString() ?? null,
  receipts: Object.fromEntries(
    receiptServices.map((service) => {
      const receipt = receipts[service];
      return [service, receipt ? { at: receipt.at.toISOString(), removed: receipt.removed } : null];
    }),
  ),
});
