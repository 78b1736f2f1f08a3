import type { AccountId } from '@mp/ids';
import { createRequestTypes } from './attribute-types.ts';
import type { Broker } from './broker.ts';
import type { Logger } from './logger.ts';

const maxKeys = 100;

type Deps<Message> = {
  broker: Pick<Broker, 'request' | 'ready'>;
  logger: Pick<Logger, 'warn'>;
  templates: { attributesOf: (read: { accountId: AccountId; templates: Message }) => Promise<string[]> };
};

export type FindUnknownAttributes<Message> = (accountId: AccountId, messages: readonly Message[]) => Promise<string[]>;

/**
 * The attributes that emails read and no contact of the account has ever had. None while contacts does not reply, or the machine is
 * too busy to read the emails: what the caller does never fails because of a warning.
 */
export function createFindUnknownAttributes<Message>({ broker, logger, templates }: Deps<Message>): FindUnknownAttributes<Message> {
  const requestTypes = createRequestTypes({ broker, logger });
  async function keysOf(accountId: AccountId, messages: readonly Message[]) {
    const found = new Set<string>();
    for (const message of messages) for (const key of await templates.attributesOf({ accountId, templates: message })) found.add(key);
    return [...found].filter((key) => key.length <= 200).slice(0, maxKeys);
  }
  return async (accountId, messages) => {
    try {
      const keys = await keysOf(accountId, messages);
      const types = keys.length === 0 ? undefined : await requestTypes(accountId, keys);
      return types ? keys.filter((key) => !types.has(key)) : [];
    } catch (err) {
      logger.warn({ err }, 'cannot check emails for unknown attributes; no warnings are returned');
      return [];
    }
  };
}
