import type { ErrorDetail } from '@mp/contracts/envelope';
import { z } from 'zod';

/** What zod says of one fault, as far as a client is told. */
type Issue = { code: string; path: readonly PropertyKey[]; message: string; keys?: unknown; params?: unknown };

const UnknownMembers = z.tuple([z.string()], z.string());
const OwnCode = z.object({ code: z.string() });

/**
 * One fault as a client is told of it, the same wherever it is found: the code is that of our own rule where one has it,
 * and of a member that is unknown the path is the member's, not that of what it is in.
 */
export function detailOf({ code, path, message, keys, params }: Issue): ErrorDetail & { path: string } {
  const unknown = UnknownMembers.safeParse(keys).data?.[0];
  const whole = unknown === undefined ? path : [...path, unknown];
  return { path: `/${whole.map(String).join('/')}`, code: OwnCode.safeParse(params).data?.code ?? code, message };
}
