import { ApiError } from '@mp/contracts/errors';
import type { RequestType } from '@mp/contracts/request';
import { headers, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import { createFailureLog } from './failure-log.ts';
import { currentRequestId, type LogContext, withLogContext } from './log-context.ts';
import type { Logger } from './logger.ts';
import { inSpan, rpc, traceIdOf, traceparent } from './traces.ts';

/** What is sent back to a request between services: a result or an error. */
const Reply = z.union([z.object({ answer: z.unknown() }), z.object({ error: z.string() })]);

type Deps = {
  service: string;
  logger: Logger;
  subjectOf: (subject: string) => string;
  connected: Promise<{ connection: NatsConnection }>;
};

/** Requests to other services, replies to theirs, and messages that every process receives. Without JetStream. */
export function createRequests({ service, logger, subjectOf, connected }: Deps) {
  const replying = createFailureLog(logger, 'cannot reply to a request of another service', { recoveredAfter: 10 });
  const handling = createFailureLog(logger, 'cannot handle a message', { recoveredAfter: 10 });

  return {
    /** Sends a request to another service and parses the reply. Throws SERVICE_UNAVAILABLE when there is none in time. */
    async request<RequestSchema extends z.ZodType, ReplySchema extends z.ZodType>(
      type: RequestType<RequestSchema, ReplySchema>,
      request: z.input<RequestSchema>,
      timeoutMs = 5_000,
    ): Promise<z.output<ReplySchema>> {
      const { connection } = await withTimeout(connected, timeoutMs);
      const payload = JSON.stringify(type.request.parse(request));
      const send = () => connection.request(subjectOf(type.subject), payload, { timeout: timeoutMs, ...carried() });
      const message = await inSpan(type.subject, { kind: 'client', attributes: rpc(type.subject) }, send).catch((error: unknown) => {
        throw noReply(type, error);
      });
      const reply = Reply.parse(message.json());
      if ('error' in reply) throw noReply(type, new Error(reply.error));
      return type.reply.parse(reply.answer);
    },

    /** Replies to a request; replicas share the work. Errors are logged, and reported to the caller without details. */
    async reply<RequestSchema extends z.ZodType, ReplySchema extends z.ZodType>(
      type: RequestType<RequestSchema, ReplySchema>,
      respond: (request: z.output<RequestSchema>) => Promise<z.input<ReplySchema>>,
    ) {
      const { connection } = await connected;
      connection.subscribe(subjectOf(type.subject), {
        queue: service,
        callback: (error, message) => {
          if (error) return logger.error({ err: error, subject: type.subject }, 'subscription failed');
          const parent = message.headers?.get('traceparent');
          void withLogContext(contextOf(message.headers), async () => {
            try {
              const reply = await inSpan(type.subject, { kind: 'server', parent, attributes: rpc(type.subject) }, async () =>
                type.reply.parse(await respond(type.request.parse(message.json()))),
              );
              message.respond(JSON.stringify({ answer: reply }));
              replying.succeeded();
            } catch (fault) {
              replying.failed(fault, { subject: type.subject });
              message.respond(JSON.stringify({ error: 'the request failed' }));
            }
          });
        },
      });
    },

    /**
     * Calls `handle` for an event in every connected process; for dropping caches. Events sent while disconnected are missed. A message
     * that cannot be handled is logged: an exception would end the reader of the connection. `onError`: the subscription has failed.
     */
    async listen(subject: string, handle: (payload: unknown) => void, onError: () => void = () => undefined) {
      const { connection } = await connected;
      connection.subscribe(subjectOf(subject), {
        callback: (error, message) => {
          if (error) {
            onError();
            return logger.error({ err: error, subject }, 'subscription failed');
          }
          try {
            handle(message.json());
            handling.succeeded();
          } catch (fault) {
            handling.failed(fault, { subject });
          }
        },
      });
    },
  };
}

/** The trace and the id of the request in progress, so that the log lines of the replying service also name them. */
function carried(): { headers?: MsgHdrs } {
  const parent = traceparent();
  const requestId = currentRequestId();
  if (parent === undefined && requestId === undefined) return {};
  const sent = headers();
  if (parent !== undefined) sent.set('traceparent', parent);
  if (requestId !== undefined) sent.set('x-request-id', requestId);
  return { headers: sent };
}

function contextOf(sent: MsgHdrs | undefined): LogContext {
  const request_id = sent?.get('x-request-id');
  const trace_id = traceIdOf(sent?.get('traceparent'));
  return { ...(request_id && { request_id }), ...(trace_id !== undefined && { trace_id }) };
}

const noReply = (type: RequestType, cause: unknown) =>
  new ApiError('SERVICE_UNAVAILABLE', 'A part of the platform is temporarily unavailable; try again.', {
    retryAfter: 2,
    cause: new Error(`no reply to ${type.subject}`, { cause }),
  });

function withTimeout<T>(promise: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new ApiError('SERVICE_UNAVAILABLE', 'A part of the platform is temporarily unavailable; try again.', { retryAfter: 2 })),
    ms,
  );
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
