import { invalid } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import { ListContactsQuery, listParameters } from '../contacts/contact-filters.ts';
import { checkSearchable } from '../contacts/rule-query.ts';
import { requireSegment } from '../segments/segment-members.ts';
import type { Selection } from './bulk-job.ts';

/** Rejects a filter or rule that a list or search would reject, and a segment that does not exist. */
export async function checkSelection(broker: Pick<Broker, 'request'>, accountId: AccountId, { filter, rule, segment_id }: Selection) {
  if (rule) checkSearchable(rule, '/select/rule');
  if (segment_id !== undefined) await requireSegment(broker, accountId, segment_id, '/select/segment_id');
  const unusable = Object.keys(filter ?? {}).find((name) => listParameters.some((one) => one === name));
  if (unusable) throw invalid(`/select/filter/${unusable}`, 'unrecognized_keys', `${unusable} is not a filter; omit it.`);
  const { error } = ListContactsQuery.safeParse(filter ?? {});
  const [issue] = error?.issues ?? [];
  if (issue) throw invalid(`/select/filter/${issue.path.join('/')}`, 'invalid_filter', issue.message);
}
