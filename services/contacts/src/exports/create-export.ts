import { success } from '@mp/contracts/envelope';
import { Rule } from '@mp/rules/rule';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { maxAttributeKeys } from '../attributes/attribute-type.ts';
import type { AttributesStore } from '../attributes/attributes-store.ts';
import { checkSearchable } from '../contacts/search-plan.ts';
import { Export, ExportFormat } from './export.ts';
import type { ExportsStore } from './exports-store.ts';

const CreateExportBody = z.strictObject({
  format: ExportFormat.default('csv'),
  rule: Rule.optional().describe(
    'Exports only the contacts that match this rule, as in `POST /v2/contacts/search`. If omitted, exports all contacts.',
  ),
});

type Deps = { exports: ExportsStore; attributes: AttributesStore; transact: Transact; wake: () => void };

export function createExport(app: Server, { exports, attributes, transact, wake }: Deps) {
  app.post(
    '/v2/contacts/exports',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'createExport',
        summary: 'Export contacts to a file',
        description:
          'Starts an export job. Its file can be downloaded for 24 hours. `csv` has a column for each field and attribute, and puts an ' +
          'apostrophe before text that a spreadsheet would run as a formula; `ndjson` has one contact per line. Both can be re-imported ' +
          'unchanged.',
        querystring: noQuery,
        body: CreateExportBody,
        response: { 202: success(Export) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const { format, rule } = request.body;
        if (rule) checkSearchable(rule);
        const keys = await attributes.page(accountId, null, maxAttributeKeys);
        const attributeTypes = keys.map(({ key, type }) => ({ key, type }));
        const job = await exports.add(tx, accountId, { format, rule: rule ?? null, attributes: attributeTypes });
        tx.afterCommit(wake);
        return { status: 202, data: job, location: `/v2/contacts/exports/${job.id}` };
      }),
  );
}
