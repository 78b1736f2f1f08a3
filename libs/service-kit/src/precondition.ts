import { ApiError } from '@mp/contracts/errors';
import type { FastifyRequest } from 'fastify';

/** The entity tag of a resource (RFC 9110 §8.8.3): its revision. */
export const etagOf = (resource: { revision: number }) => `"${resource.revision}"`;

/** Throws PRECONDITION_FAILED when `If-Match` does not include the current version. */
export function requireMatch(request: FastifyRequest, resource: { revision: number }) {
  const header = request.headers['if-match'];
  if (header === undefined || header.trim() === '*') return;
  const named = header.split(',').map((tag) => tag.trim());
  if (named.includes(etagOf(resource))) return;
  throw new ApiError(
    'PRECONDITION_FAILED',
    `The resource has changed and is now at version ${etagOf(resource)}; get it again and repeat your change.`,
  );
}
