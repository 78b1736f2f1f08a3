import { AttributeTypesOf } from '@mp/contracts/requests/contacts';
import type { AccountId } from '@mp/ids';
import type { z } from 'zod';
import type { Broker } from './broker.ts';
import type { Logger } from './logger.ts';

type Type = z.output<typeof AttributeTypesOf.reply>['types'][string];

export type AttributeTypes = ReturnType<typeof createAttributeTypes>;

const replyMs = 1_000;
const keysAtOnce = 100;

/** Asks the contacts service for the types of an account's attributes. Attributes without one, or without a reply, are left out. */
export function createAttributeTypes({ broker, logger }: { broker: Pick<Broker, 'request' | 'ready'>; logger: Pick<Logger, 'warn'> }) {
  return async function typesOf(account_id: AccountId, keys: readonly string[]): Promise<ReadonlyMap<string, Type>> {
    const types = new Map<string, Type>();
    if (!broker.ready()) return types;
    try {
      for (let from = 0; from < keys.length; from += keysAtOnce) {
        const reply = await broker.request(AttributeTypesOf, { account_id, keys: keys.slice(from, from + keysAtOnce) }, replyMs);
        for (const [key, type] of Object.entries(reply.types)) types.set(key, type);
      }
    } catch (err) {
      logger.warn({ err }, 'attribute types could not be read from contacts; rules are not checked against them');
    }
    return types;
  };
}
