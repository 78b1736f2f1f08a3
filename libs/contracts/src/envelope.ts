import { z } from 'zod';
import { ErrorDetail, errorCodes } from './errors.ts';

/** The position of a page in its list. */
export const Pagination = z
  .object({
    limit: z.number().int().describe('Maximum number of items per page.'),
    has_more: z.boolean().describe('Whether there are more items after this page.'),
    next_cursor: z.string().nullable().describe('Pass it as `cursor` to get the next page; null on the last page.'),
    total_count: z.number().int().optional().describe('Number of items in the whole list; only with `include=total_count`.'),
  })
  .meta({ id: 'Pagination' });
export type Pagination = z.infer<typeof Pagination>;

/** The body of every successful response: `{ success: true, data }`, where `data` is an object. */
export const success = <T extends z.ZodType>(data: T) => z.object({ success: z.literal(true), data });

/** One page of a list. */
export const page = <T extends z.ZodType>(item: T) => success(z.object({ items: z.array(item), pagination: Pagination }));

/** The `data` of a DELETE response. */
export const Deleted = z.object({ id: z.string().describe('ID of the deleted resource.'), deleted: z.literal(true) });

const ErrorCode = z.enum(Object.keys(errorCodes));

/** The body of every failed response: a stable code, and a message that says how to fix the request. */
export const Failure = z
  .object({
    success: z.literal(false),
    error: z.object({
      code: ErrorCode.describe('Stable code of the error.'),
      message: z.string().describe('What failed and what to do. The text may change.'),
      details: z
        .array(ErrorDetail)
        .optional()
        .describe('For `VALIDATION_ERROR`, one entry per problem; for limits, the limit and its current use.'),
      request_id: z.string().describe('ID of the request, also in the `x-request-id` header. Quote it when you ask for support.'),
      doc_url: z.string().optional().describe('The URL of the page that explains the error.'),
    }),
  })
  .meta({ id: 'Failure', title: 'Error' });
export type Failure = z.infer<typeof Failure>;
