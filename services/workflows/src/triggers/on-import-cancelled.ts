import { ImportCompleted } from '@mp/contracts/events/contacts';
import { type EventHandler, on } from '@mp/service-kit/consume';
import type { CancelledImportsStore } from './cancelled-imports-store.ts';

/** Remembers cancelled imports, so that what their rows cause from then on starts no runs. */
export const onImportCancelled = ({ cancelledImports }: { cancelledImports: Pick<CancelledImportsStore, 'add'> }): EventHandler => ({
  ...on(ImportCompleted, (tx, { account_id, data }) => cancelledImports.add(tx, account_id, data.import_id)),
  isRelevant: async ({ data }) => ImportCompleted.data.parse(data).status === 'cancelled',
});
