import { refusal, type Scope } from '@mp/contracts/permissions';
import type { Principal } from './create-server.ts';

/** Whether the caller may also read what it stumbled upon, so that an answer may name it. */
export const mayRead = (principal: Principal, scope: Scope) => refusal(principal, 'GET', scope) === undefined;
