import type { Clock } from '@mp/service-kit/clock';
import type { Logger } from '@mp/service-kit/logger';
import type { Transaction } from '@mp/service-kit/mongo';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { StoredRun } from './run-document.ts';

/** A workflow this new may have been created by mistake: it is active and sends emails from its creation on. */
const newWorkflowMs = 10 * 60_000;

const maxKnown = 10_000;

type Deps = { workflows: Pick<WorkflowsStore, 'createdAt'>; logger: Pick<Logger, 'warn' | 'debug'>; clock: Clock };

export type AnnounceFirstMail = ReturnType<typeof createAnnounceFirstMail>;

/** Logs a warning when a workflow created minutes ago requests its first email; once per workflow and process. */
export function createAnnounceFirstMail({ workflows, logger, clock }: Deps) {
  const known = new Set<string>();

  async function announce({ account_id, workflow_id, workflow_name, contact_id, id }: StoredRun) {
    const created = await workflows.createdAt(account_id, workflow_id);
    if (!created || clock().getTime() - created.getTime() > newWorkflowMs) return;
    const names = { account_id, workflow: workflow_id, name: workflow_name, run: id, contact: contact_id, created_at: created };
    logger.warn(names, 'first email of a workflow created in the last 10 minutes');
  }

  return function announceFirstMail(tx: Transaction, run: StoredRun) {
    tx.afterCommit(() => {
      if (known.has(run.workflow_id)) return;
      known.add(run.workflow_id);
      const [oldest] = known;
      if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
      announce(run).catch((error: unknown) =>
        logger.debug({ err: error, workflow: run.workflow_id }, 'cannot find out whether a workflow is new; its first email is not logged'),
      );
    });
  };
}
