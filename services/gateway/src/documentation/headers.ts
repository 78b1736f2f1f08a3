import { createHash } from 'node:crypto';

/** Response headers, as in `components.headers`. */
export const responseHeaders = {
  'X-Request-Id': {
    description: 'Identifies this request in every log line. A client may send its own: 8 to 64 characters of `A-Z a-z 0-9 _ -`.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{8,64}$' },
    example: 'req_01kjn2v0a7e8ws3q4m5x6y7z8a',
  },
  'Cache-Control': { description: 'Responses must not be cached.', required: true, schema: { type: 'string', const: 'no-store' } },
  'RateLimit-Policy': {
    description: 'The limits of the account (IETF draft 10): requests per second, and per UTC day if the plan has a daily quota.',
    schema: { type: 'string' },
    example: '"burst";q=50;w=1, "daily";q=10000;w=86400',
  },
  RateLimit: {
    description: 'What remains of each limit (`r`), and the seconds until it resets (`t`).',
    schema: { type: 'string' },
    example: '"burst";r=49;t=1, "daily";r=9731;t=31139',
  },
  'X-RateLimit-Limit': {
    description: 'Requests allowed per UTC day; absent without a daily quota.',
    schema: { type: 'integer' },
    example: 10_000,
  },
  'X-RateLimit-Remaining': { description: 'Requests left this UTC day.', schema: { type: 'integer' }, example: 9_731 },
  'X-RateLimit-Reset': {
    description: 'When the daily quota resets, in Unix seconds.',
    schema: { type: 'integer' },
    example: 1_772_409_600,
  },
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: { type: 'integer', minimum: 0 }, example: 1 },
  'WWW-Authenticate': {
    description: 'Why the credential was rejected (RFC 6750).',
    schema: { type: 'string' },
    example: 'Bearer realm="marketing-platform", error="invalid_token"',
  },
  Allow: { description: 'The methods this path supports.', required: true, schema: { type: 'string' }, example: 'GET, HEAD, POST' },
  Location: {
    description: 'The path of the created resource; with 202, of the resource that shows the progress of the accepted request.',
    required: true,
    schema: { type: 'string' },
    example: '/v2/contacts/contact_01kjn2v0a7e8ws3q4m5x6y7z8a',
  },
  ETag: { description: 'The revision of the resource, for `If-Match`.', required: true, schema: { type: 'string' }, example: '"3"' },
  Link: {
    description: 'The next page (RFC 8288); absent on the last page.',
    schema: { type: 'string' },
    example: '</v2/contacts?cursor=eyJ2Ijox>; rel="next"',
  },
  'Idempotent-Replayed': {
    description: 'Present when this is the stored response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
} as const;

export type ResponseHeader = keyof typeof responseHeaders;

const always: readonly ResponseHeader[] = ['X-Request-Id', 'Cache-Control'];
const limits: readonly ResponseHeader[] = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

/** Statuses of requests rejected before limits are checked. */
const unmetered = new Set([401, 403, 405]);
const own: Record<number, readonly ResponseHeader[]> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  405: ['Allow'],
  409: ['Retry-After'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

export function headersOf(status: number, more: readonly ResponseHeader[] = []) {
  const names = [...always, ...(unmetered.has(status) ? [] : limits), ...(own[status] ?? []), ...more];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes the write safe to retry: for 24 hours, the same key with the same request returns the first response, and with a different request 422. 1 to 255 visible ASCII characters, bare or quoted.',
  schema: { type: 'string', minLength: 1, maxLength: 257, pattern: '^[!-~]+$' },
} as const;

/** Request headers, as in `components.parameters`. */
export const requestHeaders = {
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The `ETag` from your last read. Returns 412 if the resource has changed since.',
    schema: { type: 'string', maxLength: 1_000 },
  },
} as const;

export const ifMatchHeader = { $ref: '#/components/parameters/IfMatch' };

/** In place, because each operation has a key of its own: a copied example never meets that of another one. */
export const idempotencyHeader = (operationId: string) => ({ ...idempotencyKey, example: keyOf(operationId) });

/** A key that looks like the UUID that a client would send. */
function keyOf(operationId: string): string {
  const hex = createHash('sha256').update(operationId).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}
