import { ApiError } from '@mp/contracts/errors';
import type { Problem } from './message.ts';

/** A VALIDATION_ERROR for problems of templates; undefined without problems. `prefix` is the path of the message in the body. */
export function problemError(problems: readonly Problem[], prefix = ''): ApiError | undefined {
  const [first] = problems;
  if (!first) return undefined;
  const details = problems.map(({ path, ...problem }) => ({ path: `${prefix}${path}`, ...problem }));
  return new ApiError('VALIDATION_ERROR', `${prefix}${first.path}: ${first.message}`, { details });
}
