import { ApiError } from '@mp/contracts/errors';
import { beyondLimits } from '@mp/contracts/sending-limits';
import type { Principal } from './create-server.ts';

/** Throws FORBIDDEN if the role of the caller may not send an email with this topic and from this address. */
export function requireWithinLimits({ sendingLimits }: Pick<Principal, 'sendingLimits'>, email: { topic: string | null; sender: string }) {
  const beyond = beyondLimits(sendingLimits, email);
  if (beyond !== undefined) throw new ApiError('FORBIDDEN', beyond);
}
