import { AttributeTypesOf } from '@mp/contracts/requests/contacts';
import type { AccountId } from '@mp/ids';
import type { z } from 'zod';
import type { Broker } from './broker.ts';
import type { Logger } from './logger.ts';

type Type = z.output<typeof AttributeTypesOf.reply>['types'][string];

export type AttributeTypes = ReturnType<typeof createAttributeTypes>;

type Deps = { broker: Pick<Broker, 'request' | 'ready'>; logger: Pick<Logger, 'warn'> };

const replyMs = 1_000;
const keysAtOnce = 100;

/** Asks the contacts service for the types of an account's attributes. Attributes without one are left out; undefined without a reply. */
export function createRequestTypes({ broker, logger }: Deps) {
  return async function requestTypes(account_id: AccountId, keys: readonly string[]): Promise<ReadonlyMap<string, Type> | undefined> {
    if (!broker.ready()) return undefined;
    const types = new Map<string, Type>();
    try {
      for (let from = 0; from < keys.length; from += keysAtOnce) {
        const reply = await broker.request(AttributeTypesOf, { account_id, keys: keys.slice(from, from + keysAtOnce) }, replyMs);
        for (const [key, type] of Object.entries(reply.types)) types.set(key, type);
      }
      return types;
    } catch (err) {
      logger.warn({ err }, 'the contacts service did not return the attribute types; values are not checked against them');
      return undefined;
    }
  };
}

/** As above, for rules, which are not checked against types that are not known. */
export function createAttributeTypes(deps: Deps) {
  const requestTypes = createRequestTypes(deps);
  return async (accountId: AccountId, keys: readonly string[]): Promise<ReadonlyMap<string, Type>> =>
    (await requestTypes(accountId, keys)) ?? new Map();
}
