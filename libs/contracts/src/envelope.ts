import { z } from 'zod';
import { errorCodes } from './errors.ts';

/** Where a list stands: how many items a page holds and the cursor of the next one, null at the end. */
export const Pagination = z
  .object({
    limit: z.number().int(),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
    total_count: z.number().int().optional().describe('Only with `include=total_count`.'),
  })
  .meta({ id: 'Pagination' });
export type Pagination = z.infer<typeof Pagination>;

/** Every success: `{ success: true, data }`, and `data` is an object. */
export const success = <T extends z.ZodType>(data: T) => z.object({ success: z.literal(true), data });

/** One page of a list. */
export const page = <T extends z.ZodType>(item: T) => success(z.object({ items: z.array(item), pagination: Pagination }));

/** What deleting answers. */
export const Deleted = z.object({ id: z.string(), deleted: z.literal(true) });

const ErrorCode = z.enum(Object.keys(errorCodes));

export const ErrorDetail = z
  .object({ path: z.string().optional(), code: z.string().optional(), message: z.string().optional() })
  .catchall(z.unknown());
export type ErrorDetail = z.infer<typeof ErrorDetail>;

/** Every failure: a stable code, and a message that says what would be right. */
export const Failure = z
  .object({
    success: z.literal(false),
    error: z.object({
      code: ErrorCode,
      message: z.string(),
      details: z.array(ErrorDetail).optional().describe('For VALIDATION_ERROR one entry per fault; for limits their figures.'),
      request_id: z.string(),
      doc_url: z.string().optional(),
    }),
  })
  .meta({ id: 'Failure' });
export type Failure = z.infer<typeof Failure>;
