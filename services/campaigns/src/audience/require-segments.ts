import { ApiError } from '@mp/contracts/errors';
import type { Source } from '@mp/contracts/requests/positions';
import { SegmentsExist } from '@mp/contracts/requests/segments';
import type { AccountId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Audience } from '../campaigns/campaign.ts';

const isSegment = (id: string) => id !== 'all';

export type RequireSegments = ReturnType<typeof createRequireSegments>;

type Fault = { path: string; code: string; message: string };

/**
 * Throws VALIDATION_ERROR for segments that the account does not have, archived segments and segments that failed to build. A draft (`mayWait`)
 * may name failed segments, and is accepted while the segments service is unavailable; sending then throws
 * SERVICE_UNAVAILABLE. Returns the sources that the segments depend on.
 */
export function createRequireSegments(broker: Pick<Broker, 'request'>) {
  return async (accountId: AccountId, audience: Audience, { mayWait }: { mayWait: boolean }): Promise<Source[]> => {
    const ids = [...new Set([...audience.include.filter(isSegment), ...audience.exclude])];
    const { missing, archived, failed, sources } = await requestSegments(accountId, ids, mayWait);
    requireNone(faultsOf(audience, missing, 'unknown_segment', 'No segment has this ID.'), 'no segment has this ID');
    requireNone(faultsOf(audience, archived, 'archived_segment', `The segment ${isArchived}.`), `the segment ${isArchived}`);
    if (!mayWait) requireNone(faultsOf(audience, failed, 'failed_segment', `The segment ${notBuilt}.`), `the segment ${notBuilt}`);
    return [...sources];
  };

  async function requestSegments(accountId: AccountId, ids: readonly string[], mayWait: boolean) {
    const missing = new Set<string>();
    const archived = new Set<string>();
    const failed = new Set<string>();
    const sources = new Set<Source>(['contacts']);
    for (let first = 0; first < ids.length; first += 100) {
      try {
        const reply = await broker.request(SegmentsExist, { account_id: accountId, segment_ids: ids.slice(first, first + 100) }, 2_000);
        for (const id of reply.missing) missing.add(id);
        for (const id of reply.archived) archived.add(id);
        for (const id of reply.failed) failed.add(id);
        for (const source of reply.sources) sources.add(source);
      } catch (error) {
        const isUnavailable = error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE';
        if (!(mayWait && isUnavailable)) throw error;
      }
    }
    return { missing, archived, failed, sources };
  }
}

const isArchived = 'is archived; restore it, or remove it from the audience';
const notBuilt = 'could not be built; update its definition to rebuild it, or remove it from the audience';

const faultsOf = ({ include, exclude }: Audience, wrong: ReadonlySet<string>, code: string, message: string): Fault[] =>
  Object.entries({ include, exclude }).flatMap(([member, ids]) =>
    ids.flatMap((id, index) => (wrong.has(id) ? [{ path: `/audience/${member}/${index}`, code, message }] : [])),
  );

function requireNone(faults: readonly Fault[], why: string) {
  if (faults.length === 0) return;
  throw new ApiError('VALIDATION_ERROR', `${faults.map(({ path }) => path).join(', ')}: ${why}.`, { details: faults });
}
