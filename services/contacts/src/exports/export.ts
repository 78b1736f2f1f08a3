import { ApiError } from '@mp/contracts/errors';
import { segmentId } from '@mp/contracts/ids';
import { Moment } from '@mp/contracts/moment';
import { renamedFrom } from '@mp/contracts/renamed-from';
import { z } from 'zod';

export const exportStatuses = ['queued', 'running', 'completed', 'failed'] as const;
export type ExportStatus = (typeof exportStatuses)[number];

export const ExportFormat = z.enum(['csv', 'ndjson']);
export type ExportFormat = z.infer<typeof ExportFormat>;

/** The members of a segment, as of a time. */
export const ExportFilter = z
  .strictObject({
    segment_id: segmentId.max(64).describe('The segment.'),
    as_of: Moment.optional().describe('Members as of this time in the past. Defaults to the time of the request.'),
  })
  .meta({ id: 'ExportFilter' });
export type ExportFilter = z.output<typeof ExportFilter>;

export const Export = z
  .object({
    id: z.string(),
    status: z.enum(exportStatuses),
    format: ExportFormat,
    filter: ExportFilter.nullable().describe('The segment whose members are exported; null for other exports.'),
    rows: z.number().int().describe('Contacts written so far.'),
    bytes: z.number().int(),
    download_url: z
      .string()
      .nullable()
      .describe('Path of the file once the export is completed, until `expires_at`; requires the same authentication as the API.'),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    created_at: z.iso.datetime(),
    completed_at: renamedFrom(
      'finished_at',
      z.iso.datetime().nullable().describe('When it was completed, failed or cancelled; null until then.'),
    ),
    expires_at: z.iso.datetime().nullable().describe('When the export and its file are removed.'),
  })
  .meta({ id: 'Export' });
export type Export = z.infer<typeof Export>;

/** The maximum number of unfinished exports of one account: each can have every contact, and delays those of other accounts. */
export const maxUnfinished = 10;

export const tooManyUnfinished = () =>
  new ApiError('RATE_LIMITED', `An account can have at most ${maxUnfinished} unfinished exports; wait until one has ended.`, {
    retryAfter: 30,
  });

/** Short, because a file can contain every contact of the account. */
export const fileKeptMs = 24 * 60 * 60 * 1_000;
