import { refusal, type Scope } from '@mp/contracts/permissions';
import type { Principal } from './create-server.ts';

/** Whether the caller may read resources of this scope, so that a response may name one. */
export const mayRead = (principal: Principal, scope: Scope) => refusal(principal, 'GET', scope) === undefined;
