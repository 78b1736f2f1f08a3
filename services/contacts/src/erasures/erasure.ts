import { erasingServices } from '@mp/contracts/erasure';
import { contactId } from '@mp/contracts/ids';
import { renamedFrom } from '@mp/contracts/renamed-from';
import { z } from 'zod';

/** `contacts` itself, and the services that keep data about contacts. */
export const receiptServices = ['contacts', ...erasingServices] as const;
export type ReceiptService = (typeof receiptServices)[number];

const Receipt = z.object({ at: z.iso.datetime(), removed: z.record(z.string(), z.number().int()) });

export const Erasure = z
  .object({
    id: z.string(),
    contact_id: contactId,
    status: z.enum(['running', 'completed']),
    receipts: z
      .object(Object.fromEntries(receiptServices.map((name) => [name, Receipt.nullable()])))
      .describe(
        'For each service, when it finished removing all personal data of the contact, and how many records it removed; null until then.',
      ),
    created_at: renamedFrom('requested_at', z.iso.datetime().describe('When the erasure was requested.')),
    completed_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Erasure' });
export type Erasure = z.infer<typeof Erasure>;
