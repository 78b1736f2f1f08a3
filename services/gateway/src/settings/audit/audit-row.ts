import type { AccountId } from '@mp/ids';
import type { AuditAction } from './audit-action.ts';

export type Change = { action: AuditAction; target_id: string; details?: Record<string, unknown> };

/** `sequence` and `hash` are missing in entries from before the chain. */
export type AuditRow = Change & {
  _id: string;
  account_id: AccountId;
  actor_id: string | null;
  request_id: string;
  created_at: Date;
  sequence?: number;
  hash?: string;
};
