/** The endpoints of `gateway.config.yml`. Each has one pipeline. */
export const endpoints = ['api', 'public', 'tracking', 'dashboard'] as const;
export type Endpoint = (typeof endpoints)[number];

/** The calls of Segment's interface under /v1, by name and by initial. */
export const segmentCalls = [
  ...['identify', 'track', 'page', 'screen', 'group', 'alias', 'batch', 'import'],
  ...['i', 't', 'p', 's', 'g', 'a', 'b'],
] as const;

const segmentPath = new RegExp(`^/v1/(?:(?:${segmentCalls.join('|')})$|projects/)`);

/**
 * The endpoint of a request, by the exact bytes of its path. `api` is everything that any parser could read as /v2; its route table
 * then matches only the exact spelling.
 */
export function endpointOf(path: string): Endpoint {
  if (/^\/+v2(?:[/%?;\\]|$)/i.test(path)) return 'api';
  if (/^\/(?:t|f|ingest\/v1)\//.test(path) || segmentPath.test(path)) return 'tracking';
  return /^\/(?:(?:health|oauth|\.well-known|reference|docs|auth)\/|(?:openapi\.(?:json|yaml)|postman-collection\.json|llms(?:-full)?\.txt|reference|docs)$)/.test(
    path,
  )
    ? 'public'
    : 'dashboard';
}
