import { ApiError } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type createCallSource, keyIn } from './call-source.ts';
import { type CallType, callTypes } from './event-of-call.ts';
import { type Loose, membersOf } from './loose-values.ts';
import type { ProcessCalls } from './process-calls.ts';
import { maxBodyBytes, maxCallBytes, readBodies } from './read-body.ts';
import { SegmentError, sendSegmentError } from './segment-error.ts';
import { serveSettings } from './serve-settings.ts';

type Deps = { sourceOf: ReturnType<typeof createCallSource>; process: ProcessCalls };

/** The calls that one request may hold. Segment documents no number; this many fit into its 500 kB. */
export const maxCalls = 2_500;

const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, content-type, x-retry-count',
  'access-control-max-age': '86400',
};

/**
 * Segment's HTTP interface, which is outside the contract of /v2: its paths, keys, answers and errors, so that its libraries work
 * unchanged. A call that was answered with 200 is stored.
 */
export function receiveCalls(app: Server, deps: Deps) {
  app.register(async (scope: FastifyInstance) => {
    readBodies(scope);
    scope.setErrorHandler(sendSegmentError);
    serveSettings(scope, corsHeaders);
    for (const [path, type] of paths()) {
      scope.options(path, { schema: { hide: true } }, async (_, reply) =>
        reply
          .code(204)
          .headers({ ...corsHeaders, 'access-control-allow-methods': 'POST' })
          .send(),
      );
      scope.post(path, { config: { takesEncoded: true, itemsOnTheirOwn: true }, schema: { hide: true } }, (request, reply) =>
        receive(request, reply, type, deps),
      );
    }
  });
}

type Endpoint = CallType | 'batch' | 'import';

/** Each call by its name and its initial, as browsers send it; `import` has none. */
function paths(): [string, Endpoint][] {
  const named = [...callTypes, 'batch', 'import'] as const;
  return named.flatMap((name): [string, Endpoint][] => [
    [`/v1/${name}`, name],
    ...(name === 'import' ? [] : [[`/v1/${name[0]}`, name] as [string, Endpoint]]),
  ]);
}

async function receive(request: FastifyRequest, reply: FastifyReply, type: Endpoint, { sourceOf, process }: Deps) {
  const body = membersOf(request.body);
  const calls = callsIn(type, body);
  const source = await sourceOf(request, reply, keyIn(request.headers, body.writeKey, calls[0]?.writeKey), calls.length);
  if (source.kind === 'api_key' && source.refused) {
    process.refuse(source, source.refused);
    throw source.refused;
  }
  if (type === 'import' && source.kind === 'site')
    throw new ApiError('FORBIDDEN', 'Pages cannot send past events. Send them from a server, with a secret key.');
  const shared = isBatch(type) ? { context: body.context, sentAt: body.sentAt } : {};
  await process.take(request, source, calls, { backfill: type === 'import', shared }).catch((error: unknown) => {
    if (error instanceof ApiError) process.refuse(source, error);
    throw error;
  });
  return reply.code(200).type('application/json; charset=utf-8').send('{"success":true}');
}

const isBatch = (type: Endpoint): type is 'batch' | 'import' => type === 'batch' || type === 'import';

/** The calls of a request. What the batch says of all of them is not copied into each, because nobody has shown a key yet. */
function callsIn(type: Endpoint, body: Loose): Loose[] {
  if (!isBatch(type)) {
    if (Buffer.byteLength(JSON.stringify(body)) > maxCallBytes) throw new SegmentError('A call must be at most 32 kB.');
    return [{ ...body, type }];
  }
  if (!Array.isArray(body.batch)) throw new SegmentError('batch must be a list of calls.');
  if (body.batch.length > maxCalls) throw new SegmentError(`A batch must have at most ${maxCalls} calls and ${maxBodyBytes / 1_024} kB.`);
  return body.batch.map(membersOf);
}
