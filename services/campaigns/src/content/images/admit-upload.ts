import { finished } from 'node:stream/promises';
import { callerSignal } from '@mp/service-kit/log-context';
import { createConcurrencyLimit } from '@mp/templates/concurrency-limit';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * An `onRequest` hook that limits the uploads in progress, because each takes 7 MiB and more of a process with 512: of an account, and
 * altogether. Others wait with their bytes unread. Throws like the limit of template threads.
 */
export function createAdmitUpload() {
  const limited = createConcurrencyLimit({ slots: 8, perAccount: 2, maxWaiting: 100, maxWaitMs: 10_000 });

  return (request: FastifyRequest, reply: FastifyReply) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const upload = () => {
      resolve();
      // Rejects if the caller leaves.
      return finished(reply.raw).catch(() => undefined);
    };
    limited(request.principal.accountId, upload, { signal: callerSignal() }).catch(reject);
    return promise;
  };
}
