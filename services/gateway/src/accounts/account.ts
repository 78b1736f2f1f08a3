import { newId } from '@mp/ids';
import { z } from 'zod';
import { limitsOf, Plan } from './plans.ts';

export const AccountStatus = z.enum(['active', 'suspended']);
export type AccountStatus = z.infer<typeof AccountStatus>;

/** The customer: everything belongs to exactly one account. */
export const Account = z
  .object({
    id: z.string(),
    name: z.string(),
    plan: Plan,
    status: AccountStatus,
    daily_requests: z.number().int().nullable().describe('Requests per UTC day; null: no limit.'),
    requests_per_second: z.number().int(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Account' });
export type Account = z.infer<typeof Account>;

/** `daily_requests` is Enterprise's own figure; the other plans' figures are in plans.ts. */
export type AccountRow = {
  id: string;
  name: string;
  plan: Plan;
  status: AccountStatus;
  daily_requests: number | null;
  created_at: Date;
  updated_at: Date;
};

/** The account that `npm start` works in: no figure that could refuse somebody's first script. */
export const localAccount = { name: 'local', plan: 'enterprise' } as const;

export const newAccount = (fields: { name: string; plan: Plan; daily_requests?: number | null }, now = new Date()): AccountRow => ({
  id: newId('account'),
  name: fields.name,
  plan: fields.plan,
  status: 'active',
  daily_requests: fields.daily_requests ?? null,
  created_at: now,
  updated_at: now,
});

export function accountView(account: AccountRow): Account {
  const limits = limitsOf(account);
  return {
    id: account.id,
    name: account.name,
    plan: account.plan,
    status: account.status,
    daily_requests: limits.daily,
    requests_per_second: limits.perSecond,
    created_at: account.created_at.toISOString(),
    updated_at: account.updated_at.toISOString(),
  };
}
