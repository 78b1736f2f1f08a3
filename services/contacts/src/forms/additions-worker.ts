import { ApiError } from '@mp/contracts/errors';
import { noteInLogs } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import { createRunner, type Runner } from '@mp/service-kit/runner';
import type { AddMembers } from '../segments/segment-members.ts';
import type { AdditionsStore } from './additions-store.ts';

const retryMs = 2_000;
/** Segments may not know a new contact yet; one that it never learns of was deleted. */
const maxWaitMs = 60 * 60_000;

type Deps = { additions: AdditionsStore; addMembers: AddMembers; logger: Logger };

/** Adds contacts to the static segments of forms. Repeated after a crash, it adds nobody twice. */
export const createAdditionsRunner = ({ additions, addMembers, logger }: Deps): Runner =>
  createRunner({
    logger,
    warning: 'adding contacts of forms to segments failed; retrying',
    async work() {
      const now = new Date();
      const addition = await additions.claim(now);
      if (!addition) return false;
      const { accountId, segmentId, contactId, id } = addition;
      noteInLogs({ account_id: accountId });
      try {
        const [added] = await addMembers({ accountId, segmentId, contactIds: [contactId], by: id, dryRun: false });
        const isUnknown = added?.status === 'not_found' && now.getTime() - addition.createdAt.getTime() < maxWaitMs;
        await (isUnknown ? additions.postpone(addition, new Date(now.getTime() + retryMs)) : additions.remove(addition));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        // The segment is archived or was deleted: waiting would not help.
        if (error.code === 'INVALID_STATE') await additions.remove(addition);
        else await additions.postpone(addition, new Date(now.getTime() + retryMs));
      }
      return true;
    },
  });
