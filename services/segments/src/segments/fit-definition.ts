import { ApiError } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import { attributeKeys, fitRule } from '@mp/rules/fit-rule';
import type { Rule } from '@mp/rules/rule';
import type { AttributeTypes } from '@mp/service-kit/attribute-types';

export type FitDefinition = ReturnType<typeof createFitDefinition>;

/**
 * Converts the values of a definition to the types of the account's attributes. Throws VALIDATION_ERROR for values that
 * could never match. While the contacts service is unavailable, accepts a definition unchanged.
 */
export const createFitDefinition = ({ typesOf }: { typesOf: AttributeTypes }) =>
  async function fitDefinition(accountId: AccountId, definition: Rule): Promise<Rule> {
    const { rule, misfits } = fitRule(definition, await typesOf(accountId, attributeKeys(definition)));
    const [first] = misfits;
    if (!first) return rule;
    const details = misfits.map(({ path, message }) => ({ path: `/definition/${path.join('/')}`, code: 'wrong_type', message }));
    throw new ApiError('VALIDATION_ERROR', first.message, { details });
  };
