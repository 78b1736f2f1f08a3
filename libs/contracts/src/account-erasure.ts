import { z } from 'zod';
import { accountId } from './ids.ts';
import { upstreamNames } from './services.ts';

/** The services that confirm the erasure of an account by publishing their own `<service>.account.erased`. */
export const accountErasingServices = upstreamNames;

/** A service's confirmation that it stores nothing about an account any more. */
export const AccountErasureReceipt = z.object({
  account_id: accountId,
  removed: z.record(z.string(), z.number().int()).describe('Number of removed documents by collection, such as `{"contacts": 1200}`.'),
  at: z.iso.datetime(),
});
export type AccountErasureReceipt = z.infer<typeof AccountErasureReceipt>;
