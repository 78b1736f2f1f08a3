import { Moment } from '@mp/contracts/moment';
import { listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { DeliveryStatus } from './delivery.ts';

export const ListDeliveriesQuery = z
  .strictObject({
    ...listQuery,
    sort: z.enum(['created_at', '-created_at']).default('-created_at'),
    status: DeliveryStatus.optional(),
    type: z.string().max(100).optional().describe('Type of the event, such as `contact.created`. Cannot be combined with `status`.'),
    'created_at[gte]': Moment.optional().describe('Created at or after this time.'),
    'created_at[lt]': Moment.optional().describe('Created before this time.'),
  })
  .refine(({ status, type }) => status === undefined || type === undefined, {
    path: ['type'],
    message: 'type cannot be combined with status; use one of them.',
    params: { code: 'unsupported_combination' },
  });
export type ListDeliveriesQuery = z.output<typeof ListDeliveriesQuery>;
