import { success } from '@mp/contracts/envelope';
import { invalid } from '@mp/contracts/errors';
import { Rule } from '@mp/rules/rule';
import type { Broker } from '@mp/service-kit/broker';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { maxAttributeKeys } from '../attributes/attribute-type.ts';
import type { AttributesStore } from '../attributes/attributes-store.ts';
import type { Audit } from '../audit/audit.ts';
import { auditedSelection, Selection } from '../bulk/bulk-job.ts';
import { checkSelection } from '../bulk/check-selection.ts';
import { checkSearchable } from '../contacts/rule-query.ts';
import { requireSegment } from '../segments/segment-members.ts';
import { Export, ExportFilter, ExportFormat, maxUnfinished, tooManyUnfinished } from './export.ts';
import type { ExportsStore } from './exports-store.ts';

const CreateExportBody = z.strictObject({
  format: ExportFormat.default('csv'),
  rule: Rule.optional().describe(
    'Exports only the contacts that match this rule, as in `POST /v2/contacts/search`. If omitted, exports all contacts.',
  ),
  filter: ExportFilter.optional().describe(
    'Exports only the members of a segment. Contacts have their current values, and contacts deleted since are left out, even with `as_of`. ' +
      'Cannot be combined with `rule`.',
  ),
  select: Selection.optional().describe(
    'Exports only these contacts, selected as for a bulk job. Cannot be combined with `rule` and `filter`.',
  ),
  evidence: z
    .boolean()
    .default(false)
    .describe(
      'Whether each consent has its `evidence` from the consent log, so that it comes along to another account. Only with `ndjson`.',
    ),
});

type Deps = {
  exports: ExportsStore;
  attributes: AttributesStore;
  broker: Pick<Broker, 'request'>;
  audit: Audit;
  transact: Transact;
  wake: () => void;
};

export function createExport(app: Server, { exports, attributes, broker, audit, transact, wake }: Deps) {
  app.post(
    '/v2/contacts/exports',
    {
      config: { scope: 'contacts:export', stepUp: true },
      schema: {
        operationId: 'createExport',
        summary: 'Export contacts to a file',
        description:
          'Starts an export job. Its file can be downloaded for 24 hours. `csv` has a column for each field and attribute, and puts an ' +
          'apostrophe before text that a spreadsheet would run as a formula; `ndjson` has one contact per line. Both can be re-imported ' +
          `unchanged. An account can have at most ${maxUnfinished} unfinished exports; another one fails with 429.`,
        body: CreateExportBody,
        response: { 202: success(Export) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      const { format, rule, filter, select, evidence } = request.body;
      const now = new Date();
      const asOf = new Date(filter?.as_of ?? now);
      return transact(
        request,
        reply,
        async (tx) => {
          if (rule) checkSearchable(rule);
          if (!(await exports.hasRoom(tx, accountId, maxUnfinished))) throw tooManyUnfinished();
          const keys = await attributes.page(accountId, null, maxAttributeKeys);
          const attributeTypes = keys.map(({ key, type }) => ({ key, type }));
          const members = filter ? { segment_id: filter.segment_id, as_of: asOf.toISOString() } : null;
          const input = { format, rule: rule ?? null, filter: members, select: select ? JSON.stringify(select) : null, evidence };
          const job = await exports.add(tx, accountId, { ...input, attributes: attributeTypes });
          const selection = select ? auditedSelection(select) : { selection: rule ? 'rule' : members ? 'segment_id' : 'all', ...members };
          const details = { ...selection, evidence };
          await audit(tx, request.principal, { action: 'contact_export.created', target_id: job.id, details });
          tx.afterCommit(wake);
          return { status: 202, data: job, location: `/v2/contacts/exports/${job.id}` };
        },
        {
          before: async () => {
            if (select && (rule || filter))
              throw invalid('/select', 'unsupported_combination', 'Send only one of rule, filter and select.');
            if (evidence && format === 'csv')
              throw invalid(
                '/evidence',
                'unsupported_combination',
                'CSV exports cannot contain evidence of consent; set format to ndjson.',
              );
            if (select) await checkSelection(broker, accountId, select);
            if (!filter) return;
            if (rule) throw invalid('/filter', 'unsupported_combination', 'Send either rule or filter.');
            if (asOf > now) throw invalid('/filter/as_of', 'in_future', 'as_of must be in the past.');
            await requireSegment(broker, accountId, filter.segment_id, '/filter/segment_id');
          },
        },
      );
    },
  );
}
