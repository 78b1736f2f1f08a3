import { ApiError } from '@mp/contracts/errors';
import { RequestCharged } from '@mp/contracts/requests/gateway';
import type { AccountId, WorkflowId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import { isUnavailable } from '@mp/service-kit/mongo';

type Reply = { headers: (values: Record<string, string>) => unknown };

export type ChargeRequest = ReturnType<typeof createChargeRequest>;

const replyMs = 2_000;

/**
 * Charges a request to the limits of its account, which only the gateway knows, and sets the rate limit headers of the response.
 * Throws RATE_LIMITED and QUOTA_EXCEEDED. While the gateway or NATS is unavailable, requests are accepted without a charge.
 */
export function createChargeRequest(broker: Pick<Broker, 'request' | 'ready'>) {
  return async function chargeRequest(reply: Reply, of: { accountId: AccountId; workflowId: WorkflowId }) {
    if (!broker.ready()) return;
    const charge = await broker
      .request(RequestCharged, { account_id: of.accountId, url_of: of.workflowId }, replyMs)
      .catch((error: unknown) => {
        if (!isUnavailable(error)) throw error;
        return { headers: {}, refused: null };
      });
    reply.headers(charge.headers);
    if (charge.refused === null) return;
    const { code, message, retry_after: retryAfter, details } = charge.refused;
    throw new ApiError(code, message, { retryAfter, details });
  };
}
