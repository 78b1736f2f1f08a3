import { ApiError, notFound } from '@mp/contracts/errors';
import { refusal, type Scope } from '@mp/contracts/permissions';
import { nameRequests } from '@mp/contracts/requests/names';
import type { AccountId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Principal } from '@mp/service-kit/create-server';
import { mayRead } from '@mp/service-kit/principal';
import { z } from 'zod';
import { type HeldRole, privilegesOfRole } from '../roles/role.ts';

/** What can have comments: the scope that reads one, and the path of its page. */
const kinds = {
  campaign: { scope: 'campaigns:read', path: '/campaigns' },
  template: { scope: 'campaigns:read', path: '/campaigns/templates' },
  segment: { scope: 'segments:read', path: '/segments' },
  workflow: { scope: 'workflows:read', path: '/workflows' },
} as const satisfies Record<keyof typeof nameRequests, { scope: Scope; path: string }>;

export const ResourceType = z.enum(['campaign', 'template', 'segment', 'workflow']);
export type ResourceType = z.infer<typeof ResourceType>;

export type Resource = { resource_type: ResourceType; resource_id: string };

export const pageOf = ({ resource_type, resource_id }: Resource) => `${kinds[resource_type].path}/${resource_id}`;

export const isReader = (role: Pick<HeldRole, 'role' | 'role_scopes'>, type: ResourceType) =>
  refusal(privilegesOfRole(role), 'GET', kinds[type].scope) === undefined;

export const maySee = (principal: Principal, type: ResourceType) => mayRead(principal, kinds[type].scope);

export const typesSeenBy = (principal: Principal): ResourceType[] => ResourceType.options.filter((type) => maySee(principal, type));

/** Throws FORBIDDEN unless the caller may read resources of this type. */
export function requireReader(principal: Principal, type: ResourceType) {
  const refused = refusal(principal, 'GET', kinds[type].scope);
  if (refused !== undefined) throw new ApiError('FORBIDDEN', refused);
}

/** The name of the resource; null if the account does not have it. */
export const nameOf = async (broker: Pick<Broker, 'request'>, account_id: AccountId, { resource_type, resource_id }: Resource) =>
  (await broker.request(nameRequests[resource_type], { account_id, id: resource_id })).name;

/** The name of the resource. Throws NOT_FOUND if the account does not have it. */
export async function requireResource(broker: Pick<Broker, 'request'>, accountId: AccountId, resource: Resource): Promise<string> {
  const name = await nameOf(broker, accountId, resource);
  if (name === null) throw notFound();
  return name;
}
