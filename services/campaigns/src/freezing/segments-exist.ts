import { ApiError } from '@mp/contracts/errors';
import type { Source } from '@mp/contracts/questions/positions';
import { SegmentsExist } from '@mp/contracts/questions/segments';
import type { Broker } from '@mp/service-kit/broker';
import type { Audience } from '../campaigns/campaign.ts';

const isSegment = (id: string) => id !== 'all';

export type RequireSegments = ReturnType<typeof createRequireSegments>;

/**
 * Throws VALIDATION_ERROR naming the members of the audience that the account does not have. While segments is away a
 * draft is accepted (`mayWait`) and sending decides: SERVICE_UNAVAILABLE. Returns what the audience follows from.
 */
export function createRequireSegments(broker: Pick<Broker, 'ask'>) {
  return async (accountId: string, { include, exclude }: Audience, { mayWait }: { mayWait: boolean }): Promise<Source[]> => {
    const { missing, sources } = await askFor(accountId, [...new Set([...include.filter(isSegment), ...exclude])], mayWait);
    const faults = [
      ...include.flatMap((id, index) => (missing.has(id) ? [`/audience/include/${index}`] : [])),
      ...exclude.flatMap((id, index) => (missing.has(id) ? [`/audience/exclude/${index}`] : [])),
    ];
    if (faults.length === 0) return [...sources];
    throw new ApiError('VALIDATION_ERROR', `${faults.join(', ')}: there is no such segment.`, {
      details: faults.map((path) => ({ path, code: 'unknown_segment', message: 'There is no segment with this id.' })),
    });
  };

  async function askFor(accountId: string, ids: readonly string[], mayWait: boolean) {
    const missing = new Set<string>();
    const sources = new Set<Source>(['contacts']);
    for (let first = 0; first < ids.length; first += 100) {
      try {
        const answer = await broker.ask(SegmentsExist, { account_id: accountId, segment_ids: ids.slice(first, first + 100) }, 2_000);
        for (const id of answer.missing) missing.add(id);
        for (const source of answer.sources) sources.add(source);
      } catch (error) {
        const isAway = error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE';
        if (!(mayWait && isAway)) throw error;
      }
    }
    return { missing, sources };
  }
}
