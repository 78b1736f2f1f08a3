import { ApiError } from '@mp/contracts/errors';
import { AttributeTypesOf } from '@mp/contracts/questions/contacts';
import { attributeKeys, fitRule } from '@mp/rules/fit-rule';
import type { Rule } from '@mp/rules/rule';
import type { Broker } from '@mp/service-kit/broker';
import type { Logger } from '@mp/service-kit/logger';

export type FitDefinition = ReturnType<typeof createFitDefinition>;

const replyMs = 1_000;

/**
 * Converts the values of a definition to the types of the account's attributes. Throws VALIDATION_ERROR for values that
 * could never match. While the contacts service is unavailable, accepts a definition unchanged.
 */
export function createFitDefinition({ broker, logger }: { broker: Pick<Broker, 'ask' | 'ready'>; logger: Logger }) {
  async function typesOf(account_id: string, keys: string[]) {
    if (keys.length === 0 || !broker.ready()) return new Map();
    try {
      const { types } = await broker.ask(AttributeTypesOf, { account_id, keys }, replyMs);
      return new Map(Object.entries(types));
    } catch (err) {
      logger.warn({ err }, 'attribute types could not be read from contacts; the definition is not checked against them');
      return new Map();
    }
  }

  return async function fitDefinition(accountId: string, definition: Rule): Promise<Rule> {
    const { rule, misfits } = fitRule(definition, await typesOf(accountId, attributeKeys(definition)));
    const [first] = misfits;
    if (!first) return rule;
    const details = misfits.map(({ path, message }) => ({ path: `/definition/${path.join('/')}`, code: 'wrong_type', message }));
    throw new ApiError('VALIDATION_ERROR', first.message, { details });
  };
}
