import type { ErrorDetail } from '@mp/contracts/errors';
import { z } from 'zod';

/** The parts of a zod issue that reach the client. */
type Issue = { code: string; path: readonly PropertyKey[]; message: string; keys?: unknown; params?: unknown };

const UnknownMembers = z.tuple([z.string()], z.string());
const OwnCode = z.object({ code: z.string() });

/**
 * One entry of `details`. The code is that of our own rule if it has one; for an unknown field, the path is that of the field,
 * not of the object that contains it.
 */
export function detailOf({ code, path, message, keys, params }: Issue): ErrorDetail & { path: string } {
  const unknown = UnknownMembers.safeParse(keys).data?.[0];
  const whole = unknown === undefined ? path : [...path, unknown];
  return { path: `/${whole.map(String).join('/')}`, code: OwnCode.safeParse(params).data?.code ?? code, message };
}
