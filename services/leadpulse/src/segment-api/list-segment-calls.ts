import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { SegmentCall } from './segment-call.ts';
import { maxKeptCalls, type SegmentCallsStore } from './segment-calls-store.ts';

export function listSegmentCalls(app: Server, { segmentCalls }: { segmentCalls: SegmentCallsStore }) {
  app.get(
    '/v2/leadpulse/segment-calls',
    {
      config: { scope: 'leadpulse:read' },
      schema: {
        operationId: 'listSegmentCalls',
        summary: 'List calls to the Segment-compatible API',
        description:
          `Lists the last ${maxKeptCalls.toLocaleString('en')} calls that programs sent with a Segment library, newest first, and ` +
          'what became of each. They are kept for seven days. Calls with an invalid key are not listed, because they belong to no account.',
        querystring: z.strictObject(listQuery),
        response: { 200: page(SegmentCall) },
      },
    },
    async (request, reply) => {
      const { items, pagination } = await segmentCalls.list(request.principal.accountId, request.query);
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items, pagination } };
    },
  );
}
