import type { IncomingMessage } from 'node:http';
import { ConsentStatus } from '@mp/contracts/contact';
import { success } from '@mp/contracts/envelope';
import { ApiError, invalid } from '@mp/contracts/errors';
import { segmentId } from '@mp/contracts/ids';
import type { AccountId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { ClaimFirst } from '@mp/service-kit/claim-first';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { changeIdentifiersText, MatchOn, trueOrFalse } from '../contacts/matching.ts';
import type { FileChunksStore } from '../files/file-chunks-store.ts';
import { writeChunks } from '../files/write-chunks.ts';
import { requireStaticSegment } from '../segments/segment-members.ts';
import { Delimiter, Import, ImportFault, type ImportFormat, maxUnfinished, maxUploadBytes } from './import.ts';
import type { ImportsStore } from './imports-store.ts';
import { ColumnMapping, mapColumns, unmatchedColumns } from './map-columns.ts';
import { guessDelimiter, readCsv, textStart } from './read-rows.ts';

const formats: Record<string, ImportFormat> = { 'text/csv': 'csv', 'application/x-ndjson': 'ndjson' };

const mapping = z
  .string()
  .max(32_768)
  .transform((text, context) => {
    try {
      const value: unknown = JSON.parse(text);
      return value;
    } catch {
      context.addIssue({
        code: 'custom',
        message: 'expected a JSON object such as {"Email address": "email"}',
        params: { code: 'invalid_json' },
      });
      return z.NEVER;
    }
  })
  .pipe(ColumnMapping);

const CreateImportQuery = z.strictObject({
  match_on: MatchOn.default('email'),
  change_identifiers: trueOrFalse.describe(changeIdentifiersText),
  dry_run: trueOrFalse.describe(
    'Test run: checks every row and saves nothing. A later row does not see changes that an earlier one would have made.',
  ),
  mapping: mapping
    .optional()
    .describe(
      'A JSON object with the field each column fills, such as `{"Email address": "email", "Plan": "attributes.plan", "Notes": null}`. ' +
        'Other columns are matched to fields by name. `full_name` fills `first_name` and `last_name`. `attributes.born:date:dmy` reads dates such as ' +
        '31.12.2026; other orders are `mdy` and `ymd`. Countries can be codes or names.',
    ),
  delimiter: Delimiter.optional().describe(
    'The separator between the columns of a CSV file: comma, semicolon, tab or pipe. Detected if omitted.',
  ),
  default_consent: ConsentStatus.optional().describe(
    "The email consent of contacts created from rows without one. Defaults to the account's `default_consent`. " +
      'Set it to what these people have agreed to.',
  ),
  start_workflows: z
    .enum(['true', 'false'])
    .default('true')
    .transform((value) => value === 'true')
    .describe(
      'Whether what the import causes starts runs of workflows, such as contacts that are created or enter a segment. With false, it starts none, in no segment and at no later time; runs that wait for such a change continue.',
    ),
  add_to_segment_id: segmentId
    .max(64)
    .optional()
    .describe('A static segment. Every contact of the file is added to it, whether it is created, updated or unchanged.'),
});

type Deps = { imports: ImportsStore; files: FileChunksStore; broker: Pick<Broker, 'request'>; claimFirst: ClaimFirst; wake: () => void };

/** How often an upload records its progress: every 16 MiB on a fast line, every minute on a slow one. */
const aliveEvery = 16 * 1024 * 1024;
const aliveEveryMs = 60_000;

export function createImport(app: Server, { imports, files, broker, claimFirst, wake }: Deps) {
  // The file is read from the raw request below; this parsed body only serves to fingerprint the request for idempotency.
  for (const type of Object.keys(formats)) {
    app.addContentTypeParser(type, (request, _, done) => {
      done(null, { file: request.headers['content-type'], bytes: request.headers['content-length'] ?? null });
    });
  }

  function upload(accountId: AccountId, id: string, stream: IncomingMessage) {
    let alive = { bytes: 0, at: Date.now() };
    return writeChunks(files, accountId, {
      fileId: id,
      stream,
      check: async (bytes) => {
        if (bytes > maxUploadBytes)
          throw new ApiError('PAYLOAD_TOO_LARGE', `A file can be at most ${maxUploadBytes} bytes; split the file and send the parts.`);
        if (bytes < alive.bytes + aliveEvery && Date.now() < alive.at + aliveEveryMs) return;
        alive = { bytes, at: Date.now() };
        await imports.touch(id, bytes);
      },
    });
  }

  app.post(
    '/v2/contacts/imports',
    {
      config: { scope: 'contacts:write', bodyLimit: maxUploadBytes, consumes: Object.keys(formats) },
      schema: {
        operationId: 'createImport',
        summary: 'Import contacts from a file',
        description:
          'The body is the file: CSV with a header (`Content-Type: text/csv`) or one JSON object per line (`application/x-ndjson`), ' +
          'UTF-8, at most 1 GiB. Each row creates or updates a contact like `POST /v2/contacts/batch`, with the same conflicts; an ' +
          'invalid row does not affect the others. Empty cells leave the field unchanged. A column whose name matches no field is not ' +
          'imported and appears in `warnings`. A column `attributes.<key>:<type>`, or the field `attribute_types` of a line, sets the ' +
          'type of a new attribute key. An export can be imported unchanged. Returns 202 with the import once the whole file has ' +
          'arrived; an interrupted upload is ' +
          `discarded. An account can have at most ${maxUnfinished} unfinished imports; another one fails with 429.`,
        querystring: CreateImportQuery,
        response: { 202: success(Import) },
      },
    },
    (request, reply) =>
      claimFirst(request, reply, async () => {
        const { accountId } = request.principal;
        const { match_on, change_identifiers, default_consent = null, dry_run, mapping = {}, delimiter } = request.query;
        const { add_to_segment_id = null, start_workflows } = request.query;
        const format = formats[request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? ''];
        if (!format) throw new ApiError('UNSUPPORTED_MEDIA_TYPE', `Send the file as ${Object.keys(formats).join(' or ')}.`);
        if (add_to_segment_id !== null) await requireStaticSegment(broker, accountId, add_to_segment_id, '/add_to_segment_id');
        const input = { format, match_on, change_identifiers, default_consent, dry_run, start_workflows, add_to_segment_id };
        const id = await imports.begin(accountId, input);
        try {
          const bytes = await upload(accountId, id, request.raw);
          const { value: beginning = Buffer.alloc(0) } = await files.read(accountId, id, bytes).next();
          const start = textStart(beginning);
          if (bytes === start) throw invalid('/body', 'too_small', 'The file is empty.');
          const parted = delimiter ?? guessDelimiter(beginning.toString('utf8'));
          const table =
            format === 'csv'
              ? await tableOf(files.read(accountId, id, bytes, start), { start, matchOn: match_on, mapping, delimiter: parted })
              : noTable(start);
          const job = await imports.queue(id, { bytes, ...table });
          wake();
          return { status: 202, data: job, location: `/v2/contacts/imports/${id}` };
        } catch (error) {
          await files.remove(accountId, id);
          await imports.discard(id);
          throw error;
        }
      }),
  );

  /** Reads the header, so that a file whose rows could not be imported is rejected immediately. */
  async function tableOf(
    file: AsyncIterable<Buffer>,
    { start, matchOn, mapping, delimiter }: { start: number; matchOn: MatchOn; mapping: ColumnMapping; delimiter: string },
  ) {
    for await (const { cells, end, ...first } of readableCsv(file, delimiter, start)) {
      if ('problem' in first) throw invalid('/body', first.problem.code, first.problem.message);
      const header = cells.map((cell) => cell.trim());
      const targets = mapColumns(header, mapping, matchOn);
      return { header, targets, unmatched: unmatchedColumns(header, targets, mapping), delimiter, offset: end };
    }
    throw invalid('/body', 'too_small', 'The file is empty.');
  }
}

const noTable = (offset: number) => ({ header: null, targets: null, unmatched: [], delimiter: ',', offset });

async function* readableCsv(...file: Parameters<typeof readCsv>) {
  try {
    yield* readCsv(...file);
  } catch (error) {
    throw error instanceof ImportFault ? invalid('/body', error.code, error.message) : error;
  }
}
