import { trustedId } from '@mp/ids';
import { createOnce } from '@mp/service-kit/once';
import type { Parts } from '@mp/service-kit/service-parts';
import type { PublishReferences } from './publish-references.ts';
import type { WorkflowsStore } from './workflows-store.ts';

const atOnce = 200;

/** Publishes the references of workflows created before references existed. Segments keeps the newest revision of each. */
export function createPublishReferencesOnce(
  { mongo, logger }: Pick<Parts, 'mongo' | 'logger'>,
  { workflows, publishReferences }: { workflows: WorkflowsStore; publishReferences: PublishReferences },
) {
  return createOnce({ db: mongo.db, logger }, 'publish references', async (after) => {
    const page = await workflows.allAfter(after === null ? null : trustedId<'workflow'>(after), atOnce);
    const last = page.at(-1)?.workflow.id;
    if (last === undefined) return null;
    await mongo.transaction({ correlationId: last, causationId: null }, async (tx) => {
      for (const { accountId, workflow } of page) await publishReferences(tx, accountId, workflow);
    });
    return page.length < atOnce ? null : last;
  });
}
