import { VisitorToken } from '@mp/contracts/requests/leadpulse';
import type { AccountId, ContactId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import { createFailureLog } from '@mp/service-kit/failure-log';
import type { Logger } from '@mp/service-kit/logger';
import { withParameters } from '../content/links/utm.ts';

/** A click does not wait longer. */
const replyMs = 500;

export type IdentifyVisitor = ReturnType<typeof createIdentifyVisitor>;

/** Adds the token of a contact to a link that leads to a page of the account's sites, so that LeadPulse knows its visitor. */
export function createIdentifyVisitor({ broker, logger }: { broker: Pick<Broker, 'request' | 'ready'>; logger: Logger }) {
  const asking = createFailureLog(logger, 'the leadpulse service did not reply; a link does not identify its visitor');

  return async ({ account_id, contact_id }: { account_id: AccountId; contact_id: ContactId }, url: string): Promise<string> => {
    if (!broker.ready() || !URL.canParse(url)) return url;
    try {
      const { token } = await broker.request(VisitorToken, { account_id, contact_id, url }, replyMs);
      asking.succeeded();
      return token === null ? url : withParameters(url, [['mp_token', token]]);
    } catch (error) {
      asking.failed(error);
      return url;
    }
  };
}
