import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { wholeList } from '@mp/service-kit/list';
import { BuiltInRole, builtInView, Role, roleView } from './role.ts';
import type { RolesStore } from './roles-store.ts';

export function listRoles(app: Server, { roles }: { roles: RolesStore }) {
  app.get(
    '/v2/settings/roles',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'listRoles',
        summary: 'List the roles of users',
        description: 'The built-in roles, and then the custom roles of the account, oldest first.',
        response: { 200: page(Role) },
      },
    },
    async (request) => {
      const custom = await roles.all(request.principal.accountId);
      return { success: true as const, data: wholeList([...BuiltInRole.options.map(builtInView), ...custom.map(roleView)]) };
    },
  );
}
