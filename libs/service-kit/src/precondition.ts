import { ApiError } from '@mp/contracts/errors';
import type { FastifyRequest } from 'fastify';

/** The entity tag of a resource (RFC 9110 §8.8.3): its revision. */
export const etagOf = (resource: { revision: number }) => `"${resource.revision}"`;

/**
 * Throws PRECONDITION_FAILED when `If-Match` does not include the current version; undefined: there is none yet. Only for routes
 * that declare `ifMatch`, because the document promises the header for no others.
 */
export function requireMatch(request: FastifyRequest, resource: { revision: number } | undefined) {
  const { config, method, url } = request.routeOptions;
  if (!config.ifMatch) throw new Error(`${method} ${url} calls requireMatch; its config must have ifMatch: true.`);
  const header = request.headers['if-match'];
  if (header === undefined) return;
  if (!resource) throw new ApiError('PRECONDITION_FAILED', 'The resource does not exist yet; leave out If-Match to create it.');
  if (header.trim() === '*') return;
  const named = header.split(',').map((tag) => tag.trim());
  if (named.includes(etagOf(resource))) return;
  throw new ApiError(
    'PRECONDITION_FAILED',
    `The resource has changed and is now at version ${etagOf(resource)}; get it again and repeat your change.`,
  );
}
