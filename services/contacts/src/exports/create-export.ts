import { success } from '@mp/contracts/envelope';
import { Rule } from '@mp/rules/rule';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { attributeKeysMax } from '../attributes/attribute-type.ts';
import type { AttributesStore } from '../attributes/attributes-store.ts';
import { checkSearchable } from '../contacts/search-plan.ts';
import { Export, ExportFormat } from './export.ts';
import type { ExportsStore } from './exports-store.ts';

const CreateExportBody = z.strictObject({
  format: ExportFormat.default('csv'),
  rule: Rule.optional().describe('Only the contacts that match, as in `POST /v2/contacts/search`; all of them when left out.'),
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
          'A job; its file can be fetched for 24 hours. CSV has a column for each member and attribute, and puts an apostrophe before text that a ' +
          'spreadsheet would run as a formula; `application/x-ndjson` has one contact per line. Either can be imported as it is.',
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
        const keys = await attributes.page(accountId, null, attributeKeysMax);
        const told = keys.map(({ key, type }) => ({ key, type }));
        const job = await exports.add(tx, accountId, { format, rule: rule ?? null, attributes: told });
        tx.afterCommit(wake);
        return { status: 202, data: job, location: `/v2/contacts/exports/${job.id}` };
      }),
  );
}
