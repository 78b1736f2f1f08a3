import { ApiError } from '@mp/contracts/errors';
import { type Grant, refusal, type Scope } from '@mp/contracts/permissions';
import { isId } from '@mp/ids';

/** Whether the caller may read resources of this scope, so that a response may name one. */
export const mayRead = (principal: Grant, scope: Scope) => refusal(principal, 'GET', scope) === undefined;

/** Throws FORBIDDEN unless the caller is a user. */
export function requirePerson({ id }: { id: string }, action: string) {
  if (isId('user', id)) return;
  throw new ApiError('FORBIDDEN', `Only a user who is signed in can ${action}; API keys and access tokens cannot.`);
}
