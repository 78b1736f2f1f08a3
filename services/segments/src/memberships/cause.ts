import type { MembershipCause } from '@mp/contracts/membership-cause';
import type { z } from 'zod';

/** Why a membership changed. */
export type Cause = z.infer<typeof MembershipCause>;
