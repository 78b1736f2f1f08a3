import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { wholeList } from '@mp/service-kit/list';
import { z } from 'zod';
import type { UsersStore } from '../users/users-store.ts';
import { resourceFields } from './comment.ts';
import { isReader, requireReader } from './resource.ts';

/** Without the address and the role, which only those may see who may read the settings. */
const NamedUser = z
  .object({ id: z.string().describe('The ID of the user.'), name: z.string().describe('The name of the user.') })
  .meta({ id: 'NamedUser' });

export function listUsersToMention(app: Server, { users }: { users: Pick<UsersStore, 'all'> }) {
  app.get(
    '/v2/comments/users',
    {
      config: { scope: null, people: true },
      schema: {
        operationId: 'listUsersToMention',
        tags: ['comments'],
        summary: 'List the users whom a comment can mention, by name',
        description: 'Those who may read resources of this type.',
        querystring: z.strictObject({ resource_type: resourceFields.resource_type }),
        response: { 200: page(NamedUser) },
      },
    },
    async ({ principal, query }) => {
      requireReader(principal, query.resource_type);
      const readers = (await users.all(principal.accountId)).filter((user) => isReader(user, query.resource_type));
      const named = readers.map(({ id, name }) => ({ id, name })).sort((a, b) => a.name.localeCompare(b.name, 'en'));
      return { success: true as const, data: wholeList(named) };
    },
  );
}
