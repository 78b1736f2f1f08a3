import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@mp/service-kit/logger';
import { activeSpan, describeRequest } from '@mp/service-kit/traces';
import { type Exchange, newExchange } from '../exchange.ts';
import type { BodyMemory } from '../forwarding/body-memory.ts';
import type { AccessLog } from './access-log.ts';
import type { ListenerMetrics } from './listener-metrics.ts';
import { loggedOf, sendFailure } from './respond.ts';
import type { Site } from './site.ts';

export type HandleRequestParts = {
  bodyMemory: BodyMemory;
  logger: Logger;
  addressOf: (req: IncomingMessage) => string;
  now: () => number;
  site: Site;
  metrics: ListenerMetrics;
  accessLog?: AccessLog | undefined;
};

/** `run` sends the request through the pipeline of its path group, and rejects with the error for the client. */
export type HandleRequest = (req: IncomingMessage, res: ServerResponse, run: (exchange: Exchange) => Promise<void>) => Promise<void>;

/** The path of a request from the socket through its pipeline. Never rejects. */
export function createHandleRequest(parts: HandleRequestParts): HandleRequest {
  return async (req, res, run) => {
    const began = performance.now();
    const exchange = newExchange(req, res, { at: parts.now(), addressOf: parts.addressOf, site: parts.site });
    res.once('close', () => {
      exchange.leave?.();
      if (exchange.body) parts.bodyMemory.release(exchange.body);
      const ms = performance.now() - began;
      parts.metrics.responded(exchange, ms);
      parts.accessLog?.(exchange, ms);
    });
    try {
      await run(exchange);
      if (exchange.ended === 'broken')
        parts.logger.warn({ ...loggedOf(exchange), status: res.statusCode }, 'a service aborted its response');
    } catch (error) {
      // A client that has left is not counted as rejected.
      if (!res.destroyed) parts.metrics.refused(error);
      sendFailure(exchange, error, parts.logger);
    }
    const { method, route } = exchange;
    const span = exchange.traceparent === undefined ? undefined : activeSpan();
    if (span) describeRequest(span, { method, route: route?.path, status: res.statusCode });
  };
}
