import { ConsentStatus } from '@mp/contracts/contact';
import { ApiError } from '@mp/contracts/errors';
import { segmentId } from '@mp/contracts/ids';
import { renamedFrom } from '@mp/contracts/renamed-from';
import { z } from 'zod';
import { MatchOn } from '../contacts/matching.ts';
import { consequencesField } from '../files/consequences.ts';

export const importStatuses = ['uploading', 'queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type ImportStatus = (typeof importStatuses)[number];

export const ImportFormat = z.enum(['csv', 'ndjson']);
export type ImportFormat = z.infer<typeof ImportFormat>;

export const ImportRows = z.object({
  read: z.number().int(),
  created: z.number().int(),
  updated: z.number().int(),
  unchanged: z.number().int(),
  failed: z.number().int(),
});
export type ImportRows = z.infer<typeof ImportRows>;

/** A pattern rather than an enum, because client generators cannot make a name from a tab. */
export const Delimiter = z
  .string()
  .regex(/^[,;|\t]$/, 'expected a comma, a semicolon, a tab or a pipe')
  .meta({ examples: [';'] });

const ImportWarning = z
  .object({
    code: z.enum(['unmatched_column']),
    column: z.string().describe('The name of the column in the header.'),
    message: z.string(),
  })
  .meta({ id: 'ImportWarning' });

export const unmatchedColumn = (column: string): z.infer<typeof ImportWarning> => ({
  code: 'unmatched_column',
  column,
  message:
    'No field has this name, so the column is not imported. Map it to a field in mapping, such as attributes.<key>, or to null to skip it.',
});

export const Import = z
  .object({
    id: z.string(),
    status: z.enum(importStatuses),
    format: ImportFormat,
    match_on: MatchOn,
    change_identifiers: z.boolean().describe('Whether rows may change stronger identifiers than the one they are matched on.'),
    dry_run: z.boolean().describe('Whether this is a test run, which checks every row and saves nothing.'),
    default_consent: ConsentStatus.nullable().describe(
      "The email consent of contacts created from rows without one; null: the account's `default_consent`.",
    ),
    start_workflows: z.boolean().describe('Whether what the import causes starts runs of workflows.'),
    add_to_segment_id: segmentId.nullable().describe('The static segment that the contacts of the file are added to.'),
    delimiter: Delimiter.nullable().describe('The separator between columns, as requested or detected; null for NDJSON.'),
    mapping: z
      .record(z.string(), z.string().nullable())
      .nullable()
      .describe('The field each column fills, or null for a skipped column; null for NDJSON.'),
    warnings: z.array(ImportWarning).describe('Likely mistakes found in the header. They do not stop the import.'),
    bytes: z.number().int().describe('Size of the file.'),
    progress: z.number().describe('Share of the file that has been processed, from 0 to 1.'),
    rows: ImportRows,
    error: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .describe('Why the import failed. Rows imported before the failure are kept.'),
    errors_url: z.string().nullable().describe('Path of a CSV file with the rows that failed; null if none did.'),
    created_at: z.iso.datetime(),
    completed_at: renamedFrom(
      'finished_at',
      z.iso.datetime().nullable().describe('When it was completed, failed or cancelled; null until then.'),
    ),
    expires_at: z.iso.datetime().nullable().describe('When the import and its row errors are removed.'),
  })
  .meta({ id: 'Import' });
export type Import = z.infer<typeof Import>;

/** A single import with what follows from it. */
export const ImportDetail = Import.extend({ consequences: consequencesField }).meta({ id: 'ImportDetail' });

export const noRows: ImportRows = { read: 0, created: 0, updated: 0, unchanged: 0, failed: 0 };

export const maxUploadBytes = 1024 * 1024 * 1024;

/** The rest of the file cannot be read; rows already imported stay. */
export const unreadable = (code: string, message: string) => new ImportFault(code, message);

export class ImportFault extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = 'ImportFault';
    this.code = code;
  }
}

/** The maximum number of unfinished imports of one account: each can be 1 GiB and delays those of other accounts. */
export const maxUnfinished = 10;
export const unfinishedStatuses: readonly ImportStatus[] = ['uploading', 'queued', 'running'];

export const tooManyUnfinished = () =>
  new ApiError(
    'RATE_LIMITED',
    `An account can have at most ${maxUnfinished} unfinished imports; wait until one has ended, then send this file again.`,
    {
      retryAfter: 30,
    },
  );

export const cannotCancel = (status: ImportStatus) =>
  new ApiError('INVALID_STATE', `The import is ${status}; only a queued or running import can be cancelled.`);
