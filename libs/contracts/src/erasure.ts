import { z } from 'zod';
import { contactId } from './ids.ts';

/** The services that store contact data. Each confirms an erasure by publishing its own `<service>.contact.erased`. */
export const erasingServices = ['segments', 'campaigns', 'leadpulse', 'workflows'] as const;
export type ErasingService = (typeof erasingServices)[number];

/** A service's confirmation that it has removed all personal data of a contact. */
export const ErasureReceipt = z.object({
  erasure_id: z.string(),
  contact_id: contactId,
  removed: z.record(z.string(), z.number().int()).describe('Number of removed records by kind, such as `{"memberships": 3}`.'),
  at: z.iso.datetime(),
});
export type ErasureReceipt = z.infer<typeof ErasureReceipt>;
