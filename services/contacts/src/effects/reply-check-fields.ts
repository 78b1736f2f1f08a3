import { ApiError, type ErrorDetail } from '@mp/contracts/errors';
import { ContactFieldsChecked } from '@mp/contracts/requests/contacts';
import type { Broker } from '@mp/service-kit/broker';
import { detailOf } from '@mp/service-kit/issue-detail';
import type { z } from 'zod';
import { type AttributeTypes, checkAttribute } from '../attributes/attribute-type.ts';
import type { AttributesStore } from '../attributes/attributes-store.ts';
import { attributeKey, UpdateContactBody } from '../contacts/contact-body.ts';

type Change = z.output<typeof ContactFieldsChecked.request>['changes'][number];
type Problem = Omit<z.output<typeof ContactFieldsChecked.reply>['problems'][number], 'change'>;

const maxProblems = 50;

/** Replies with why changes that workflow steps will request would be refused for every contact. */
export const replyToCheckFields =
  (broker: Broker, { attributes }: { attributes: Pick<AttributesStore, 'typesOf'> }) =>
  () =>
    broker.reply(ContactFieldsChecked, async ({ account_id, changes }) => {
      const keys = new Set(changes.flatMap(({ set, increment }) => [...Object.keys(Object(set.attributes)), ...increment]));
      const types = await attributes.typesOf(account_id, [...keys]);
      const problems = changes.flatMap((change, index) => problemsOf(change, types).map((problem) => ({ change: index, ...problem })));
      return { problems: problems.slice(0, maxProblems) };
    });

function problemsOf({ set, increment }: Change, types: AttributeTypes): Problem[] {
  const body = UpdateContactBody.safeParse(set);
  const ofIssues = (body.error?.issues ?? []).map((issue) => ofSet(detailOf(issue)));
  const ofTypes = Object.entries(body.data?.attributes ?? {}).flatMap(([key, value]) => {
    if (value === null) return [];
    try {
      checkAttribute(key, value, types.get(key));
      return [];
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return (error.details ?? []).map(ofSet);
    }
  });
  const ofIncrements = increment.flatMap((key): Problem[] => {
    const [issue] = attributeKey.safeParse(key).error?.issues ?? [];
    if (issue) return [{ of: 'increment', path: [`attributes.${key}`], code: issue.code, message: issue.message }];
    if ((types.get(key) ?? 'number') === 'number') return [];
    const message = `attributes.${key} is not a number in this account.`;
    return [{ of: 'increment', path: [`attributes.${key}`], code: 'wrong_type', message }];
  });
  return [...ofIssues, ...ofTypes, ...ofIncrements];
}

const ofSet = ({ path = '', code = 'custom', message = '' }: ErrorDetail): Problem => ({
  of: 'set',
  path: path.split('/').slice(1),
  code,
  message,
});
