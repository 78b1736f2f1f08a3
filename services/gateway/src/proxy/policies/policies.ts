import { z } from 'zod';
import { authenticated, routed } from '../exchange.ts';
import type { RouteTable } from '../routes/route-table.ts';
import { type AuthenticateParts, authenticate } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { enforceDailyQuota, type QuotaParts } from './charge-quota.ts';
import { checkAddress } from './check-address.ts';
import { checkSecondFactor } from './check-second-factor.ts';
import { checkHeaders, checkTarget } from './check-url-and-headers.ts';
import { findRoute } from './find-route.ts';
import { type ForwardParts, forwardRequest } from './forward-request.ts';
import { policy } from './policy.ts';
import { type BurstParts, enforceBurstLimit } from './rate-limit.ts';

export type PolicyParts = AuthenticateParts & BurstParts & QuotaParts & ForwardParts & { routes: RouteTable };

const maxBytes = z.int().positive();

/** The policies of `gateway.config.yml`, by name: what each needs before it, its options, and what it does. */
export const createPolicies = (parts: PolicyParts) => ({
  authenticate: policy([], {}, (exchange) => authenticate(exchange, parts)),
  'check-address': policy(['authenticate'], {}, (exchange) => checkAddress(exchange, authenticated(exchange), parts.failedAuths)),
  'burst-limit': policy(['authenticate'], {}, (exchange) => enforceBurstLimit(exchange, authenticated(exchange), parts)),
  'check-target': policy([], { maxBytes }, checkTarget),
  'check-headers': policy([], { maxBytes }, checkHeaders),
  'find-route': policy([], {}, (exchange) => findRoute(exchange, parts.routes)),
  authorize: policy(['authenticate', 'find-route'], {}, (exchange) => {
    const [credential, route] = [authenticated(exchange), routed(exchange)];
    authorize(exchange, credential, route);
    return checkSecondFactor(exchange, credential, route, parts);
  }),
  'daily-quota': policy(['authenticate', 'burst-limit', 'find-route'], { uncharged: z.array(z.string()) }, (exchange, { uncharged }) =>
    enforceDailyQuota(exchange, uncharged, parts),
  ),
  forward: policy(['find-route'], {}, (exchange) => forwardRequest(exchange, parts)),
});
