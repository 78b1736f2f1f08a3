import { ApiError } from '@mp/contracts/errors';
import type { Problem } from './message.ts';

/** The response to a request whose templates have problems, `prefix` being where they stand in its body; undefined without problems. */
export function problemError(problems: readonly Problem[], prefix = ''): ApiError | undefined {
  const [first] = problems;
  if (!first) return undefined;
  const details = problems.map(({ path, ...problem }) => ({ path: `${prefix}${path}`, ...problem }));
  return new ApiError('VALIDATION_ERROR', `${prefix}${first.path}: ${first.message}`, { details });
}
