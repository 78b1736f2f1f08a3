import { success } from '@mp/contracts/envelope';
import { ApiError, invalid } from '@mp/contracts/errors';
import { refusal } from '@mp/contracts/permissions';
import type { AccountId } from '@mp/ids';
import { attributeKeys, fitRule } from '@mp/rules/fit-rule';
import type { Broker } from '@mp/service-kit/broker';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import type { AttributesStore } from '../attributes/attributes-store.ts';
import type { Audit } from '../audit/audit.ts';
import type { FormsStore } from '../forms/forms-store.ts';
import { requireStaticSegment } from '../segments/segment-members.ts';
import { auditedSelection, BulkJob, BulkRequest, isAudited, maxUnfinished, type Selection, tooManyUnfinished } from './bulk-job.ts';
import type { BulkJobsStore } from './bulk-jobs-store.ts';
import { checkSelection } from './check-selection.ts';
import { requireAskingForm } from './request-confirmations.ts';
import { requireStartable } from './start-workflow.ts';

type Deps = {
  jobs: BulkJobsStore;
  attributes: AttributesStore;
  forms: Pick<FormsStore, 'findOne'>;
  broker: Pick<Broker, 'request'>;
  audit: Audit;
  transact: Transact;
  wake: () => void;
};

export function createBulkJob(app: Server, { jobs, attributes, forms, broker, audit, transact, wake }: Deps) {
  app.post(
    '/v2/contacts/bulk',
    {
      config: { scope: 'contacts:write' },
      schema: {
        operationId: 'createBulkJob',
        summary: 'Change many contacts',
        description:
          'Starts a job that applies one action to every selected contact, each once, and records a result for each. It returns 202 ' +
          'immediately, however many contacts are selected; poll the job until its `status` is `completed`. Contacts created after the job are ' +
          'not selected. A contact that does not allow the change fails without affecting the others. With `dry_run`, nothing is ' +
          `changed. An account can have at most ${maxUnfinished} unfinished bulk jobs; another one fails with 429.`,
        body: BulkRequest,
        response: { 202: success(BulkJob) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      const { select, segment_id, workflow_id, form_id } = request.body;
      return transact(
        request,
        reply,
        async (tx) => {
          const rule = await fitted(accountId, select);
          if (!(await jobs.hasRoom(tx, accountId, maxUnfinished))) throw tooManyUnfinished();
          const job = await jobs.add(tx, request.principal, { ...request.body, select: { ...select, ...(rule && { rule }) } });
          const entry = { action: 'bulk_deletion.created' as const, target_id: job.id, details: auditedSelection(select) };
          if (isAudited(job)) await audit(tx, request.principal, entry);
          tx.afterCommit(wake);
          return { status: 202, data: job, location: `/v2/contacts/bulk/${job.id}` };
        },
        {
          before: async () => {
            const refused = workflow_id !== undefined && refusal(request.principal, 'POST', 'workflows:write');
            if (refused) throw new ApiError('FORBIDDEN', `start_workflow: ${refused}`);
            await checkSelection(broker, accountId, select);
            if (workflow_id !== undefined) await requireStartable(broker, request.principal, workflow_id, '/workflow_id');
            if (form_id !== undefined) await requireAskingForm(forms, request.principal, form_id, '/form_id');
            if (segment_id !== undefined) await requireStaticSegment(broker, accountId, segment_id, '/segment_id');
          },
        },
      );
    },
  );

  async function fitted(accountId: AccountId, { rule }: Selection) {
    if (!rule) return undefined;
    const fit = fitRule(rule, await attributes.typesOf(accountId, attributeKeys(rule)));
    if (fit.misfits[0]) throw invalid(`/select/rule/${fit.misfits[0].path.join('/')}`, 'wrong_type', fit.misfits[0].message);
    return fit.rule;
  }
}
