import { success } from '@mp/contracts/envelope';
import { templateId, workflowId } from '@mp/contracts/ids';
import { approvalFields, approvalView } from '@mp/service-kit/approval';
import type { ApprovalsStore } from '@mp/service-kit/approvals-store';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { z } from 'zod';
import { sendersOf } from '../require-send-permission.ts';
import type { WorkflowsStore } from '../workflows-store.ts';
import { approvedContent, includedIn } from './workflow-approvals.ts';

const WorkflowApproval = z
  .object({
    ...approvalFields,
    include_current: z.boolean().describe('Whether the activation also starts runs for the contacts that are in the segment then.'),
    include_past_days: z
      .number()
      .int()
      .nullable()
      .describe('For an event trigger: how many past days of events also start runs on activation; null for none.'),
    templates: z
      .array(z.object({ template_id: templateId, version: z.number().int() }))
      .describe(
        'The versions of templates that the request is about. Once it is approved, these are sent, even after the templates change; ' +
          '`GET /v2/campaigns/templates/:id/versions/:version` has their content.',
      ),
  })
  .meta({ id: 'WorkflowApproval' });

export function getApproval(app: Server, { workflows, approvals }: { workflows: WorkflowsStore; approvals: ApprovalsStore }) {
  app.get(
    '/v2/workflows/:id/approval',
    {
      config: { scope: 'workflows:read' },
      schema: {
        operationId: 'getWorkflowApproval',
        summary: 'Get the approval of a workflow',
        description: 'Who requested approval, what was decided, and what changed since the last approved version.',
        params: z.object({ id: workflowId }),
        response: { 200: success(WorkflowApproval) },
      },
    },
    async (request, reply) => {
      const { principal, params } = request;
      const workflow = await workflows.get(principal.accountId, params.id);
      const approval = await approvals.find(principal.accountId, params.id);
      const including = includedIn(approval);
      const templates = [...(approval?.templates ?? [])];
      const content = approvedContent(workflow, including, templates);
      const senders = await sendersOf(workflows, principal.accountId, workflow.steps);
      const emails = senders.map((sender) => ({ topic: null, sender }));
      const shown = { request: approval, revision: workflow.revision, content, emails };
      const view = approvalView({ ...shown, principal, scope: 'workflows:activate' });
      return reply.header('etag', etagOf(workflow)).send({
        success: true as const,
        data: { ...view, ...including, include_past_days: including.include_past_days ?? null, templates },
      });
    },
  );
}
