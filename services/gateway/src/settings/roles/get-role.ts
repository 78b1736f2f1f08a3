import { success } from '@mp/contracts/envelope';
import { notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { BuiltInRole, builtInView, Role, roleView } from './role.ts';
import type { RolesStore } from './roles-store.ts';

export function getRole(app: Server, { roles }: { roles: RolesStore }) {
  app.get(
    '/v2/settings/roles/:id',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'getRole',
        summary: 'Get a role',
        params: z.object({ id: z.string() }),
        response: { 200: success(Role) },
      },
    },
    async (request) => {
      const { id } = request.params;
      const named = BuiltInRole.safeParse(id);
      if (named.success) return { success: true as const, data: builtInView(named.data) };
      const role = await roles.find(request.principal.accountId, id);
      if (!role) throw notFound();
      return { success: true as const, data: roleView(role) };
    },
  );
}
