import { page } from '@mp/contracts/envelope';
import { visitorId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { SessionView, sessionView } from '../sessions/session-view.ts';
import type { SessionsStore } from '../sessions/sessions-store.ts';
import type { VisitorsStore } from './visitors-store.ts';

type Deps = { visitors: VisitorsStore; sessions: SessionsStore; cursors: Cursors };

export function listSessions(app: Server, { visitors, sessions, cursors }: Deps) {
  app.get(
    '/v2/leadpulse/visitors/:id/sessions',
    {
      config: { scope: 'leadpulse:read' },
      schema: {
        operationId: 'listSessions',
        summary: 'List the sessions of a visitor, newest first',
        description: 'For the events of a session, list the events of the visitor between its `started_at` and `ended_at`.',
        params: z.object({ id: visitorId.describe('The ID of the visitor.') }),
        querystring: z.strictObject(listQuery),
        response: { 200: page(SessionView) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { id } = await visitors.get(accountId, request.params.id);
      const { items, pagination } = await sessions.list(accountId, id, cursors, request.query);
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items: items.map(sessionView), pagination } };
    },
  );
}
