import type { AccountId, WorkflowId } from '@mp/ids';
import type { z } from 'zod';
import type { EnrollmentsStore } from '../enrollments/enrollments-store.ts';
import type { RunsStore } from '../runs/runs-store.ts';
import type { Definition } from './definition.ts';
import type { WorkflowDetails } from './workflow.ts';
import type { FindWarnings } from './workflow-warnings.ts';

type Details = Pick<z.output<typeof WorkflowDetails>, 'warnings' | 'last_failure' | 'enrollment'>;

export type FindDetails = ReturnType<typeof createFindDetails>;

/** The extra fields of a workflow in responses. Loaded before a transaction, because segments is requested for them. */
export const createFindDetails =
  ({ runs, enrollments, findWarnings }: { runs: RunsStore; enrollments: EnrollmentsStore; findWarnings: FindWarnings }) =>
  async (
    accountId: AccountId,
    workflowId: WorkflowId | undefined,
    definition: Pick<Definition, 'trigger' | 'steps' | 'exit_when'>,
  ): Promise<Details> => ({
    warnings: await findWarnings(accountId, definition),
    last_failure: workflowId === undefined ? null : await runs.lastFailure(accountId, workflowId),
    enrollment: workflowId === undefined ? null : await enrollments.find(accountId, workflowId),
  });
