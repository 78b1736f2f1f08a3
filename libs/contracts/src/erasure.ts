import { z } from 'zod';

/** The services that keep anything of a contact and confirm its erasure, each with its own `<service>.contact.erased`. */
export const erasingServices = ['segments', 'campaigns', 'leadpulse', 'workflows'] as const;
export type ErasingService = (typeof erasingServices)[number];

/** What a service says when nothing personal of a contact is left with it. */
export const ErasureReceipt = z.object({
  erasure_id: z.string(),
  contact_id: z.string(),
  removed: z.record(z.string(), z.number().int()).describe('how many of what went, such as `{"memberships": 3}`'),
  at: z.iso.datetime(),
});
export type ErasureReceipt = z.infer<typeof ErasureReceipt>;
