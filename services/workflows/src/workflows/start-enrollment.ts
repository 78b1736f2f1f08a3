import type { AccountId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { EnrollmentsStore } from '../enrollments/enrollments-store.ts';
import type { TicksStore } from '../schedules/ticks-store.ts';
import { sinceDays } from './past-days.ts';
import type { Workflow } from './workflow.ts';

/** Which contacts an activation starts at once. */
export type Including = { include_current: boolean; include_past_days?: number };

export const includesAny = ({ include_current, include_past_days }: Including) => include_current || include_past_days !== undefined;

/** Starts the contacts that the activation includes, in the background; once for each activation. */
export async function startEnrollment(
  tx: Transaction,
  { enrollments, ticks }: { enrollments: EnrollmentsStore; ticks: Pick<TicksStore, 'enroll'> },
  accountId: AccountId,
  workflow: Workflow,
  { including, now }: { including: Including; now: Date },
) {
  if (!includesAny(including) || !(await enrollments.begin(tx, accountId, workflow, now))) return;
  const { include_past_days: days } = including;
  await ticks.enroll(tx, accountId, workflow, now, days === undefined ? null : sinceDays(days, now));
}
