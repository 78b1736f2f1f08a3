import type { FastifyReply, FastifyRequest } from 'fastify';
import { inLogContext, type LogContext } from './log-context.ts';
import { inRequestSpan } from './traces.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The fields of the log lines of this request; undefined before its first hook. */
    logContext?: LogContext;
  }
}

/** Runs the work in the log context and the span of the request, even where Fastify calls from outside of them. */
export function inRequestContext(request: FastifyRequest, reply: FastifyReply, work: () => void) {
  inLogContext(request.logContext ?? { request_id: request.id }, () => inRequestSpan(request, work), reply.raw);
}
