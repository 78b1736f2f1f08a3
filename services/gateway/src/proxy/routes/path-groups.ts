/** The groups of paths that `gateway.config.yml` calls `apiEndpoints`. Each has one pipeline. */
export const pathGroups = ['api', 'public', 'tracking', 'dashboard'] as const;
export type PathGroup = (typeof pathGroups)[number];

/** The calls of Segment's interface under /v1, by name and by initial. */
export const segmentCalls = [
  ...['identify', 'track', 'page', 'screen', 'group', 'alias', 'batch', 'import'],
  ...['i', 't', 'p', 's', 'g', 'a', 'b'],
] as const;

const segmentPath = new RegExp(`^/v1/(?:(?:${segmentCalls.join('|')})$|projects/)`);

/**
 * The group of a request, by the exact bytes of its path. `api` is everything that any parser could read as /v2; its route table
 * then matches only the exact spelling.
 */
export function pathGroupOf(path: string): PathGroup {
  if (/^\/+v2(?:[/%?;\\]|$)/i.test(path)) return 'api';
  if (/^\/(?:t|f|ingest\/v1)\//.test(path) || segmentPath.test(path)) return 'tracking';
  return /^\/(?:(?:health|oauth|\.well-known|reference|docs|auth)\/|(?:openapi\.(?:json|yaml)|postman-collection\.json|llms(?:-full)?\.txt|reference|docs)$)/.test(
    path,
  )
    ? 'public'
    : 'dashboard';
}
