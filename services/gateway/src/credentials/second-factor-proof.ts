import { ApiError } from '@mp/contracts/errors';
import type { Credential } from './credential.ts';

/** For so long after a second factor was proven, a session may do what cannot be undone. */
const provesForMs = 15 * 60_000;

/** Whether something that was proven then still counts. */
export const isRecent = (provenAt: number | null | undefined, now: number) =>
  provenAt !== null && provenAt !== undefined && now - provenAt <= provesForMs;

export const proofIsDue = () =>
  new ApiError('SECOND_FACTOR_REQUIRED', 'Confirm that it is you in the dashboard first: this session has no recent proof.');

export const enrolmentIsDue = () =>
  new ApiError('SECOND_FACTOR_REQUIRED', 'This account requires a second factor. Add one in the dashboard first.');

/** Why a session must first prove or add a second factor; undefined if it need not. `stepUp`: for what cannot be undone. */
export function dueOf({ secondFactor }: Credential, { stepUp, now }: { stepUp: boolean; now: number }): ApiError | undefined {
  if (!secondFactor) return undefined;
  if (secondFactor.mustEnroll) return enrolmentIsDue();
  if (secondFactor.mustProve) return proofIsDue();
  return stepUp && secondFactor.has && !isRecent(secondFactor.provenAt, now) ? proofIsDue() : undefined;
}
