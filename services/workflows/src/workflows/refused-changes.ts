import { ContactFieldsChecked } from '@mp/contracts/requests/contacts';
import type { AccountId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Logger } from '@mp/service-kit/logger';
import { placeholdersIn } from './placeholders.ts';
import type { Problem } from './problem.ts';
import type { Step } from './step.ts';

export type FindRefusedChanges = ReturnType<typeof createFindRefusedChanges>;

const replyMs = 1_000;

/**
 * Finds values of `update_contact` steps that contacts would refuse for every contact. Values with placeholders are only known when
 * the step is taken. None if contacts does not reply, because each change is checked again then.
 */
export function createFindRefusedChanges({ broker, logger }: { broker: Pick<Broker, 'request' | 'ready'>; logger: Pick<Logger, 'warn'> }) {
  return async function findRefusedChanges(accountId: AccountId, steps: readonly Step[]): Promise<Problem[]> {
    const updates = steps.flatMap((step, index) => {
      if (step.type !== 'update_contact') return [];
      const increment = Object.keys(step.increment ?? {}).map((name) => name.slice('attributes.'.length));
      return [{ id: step.id, index, set: step.set, change: { set: staticMembers(step.set), increment } }];
    });
    if (updates.length === 0 || !broker.ready()) return [];
    try {
      const request = { account_id: accountId, changes: updates.map(({ change }) => change) };
      const { problems } = await broker.request(ContactFieldsChecked, request, replyMs);
      return problems.flatMap(({ change, of, path, code, message }) => {
        const update = updates[change];
        // A value that is known in part only, such as a consent whose status is a placeholder, can be valid once it is filled.
        if (!update || (of === 'set' && placeholdersIn(memberAt(update.set, path)).length > 0)) return [];
        return [{ path: [update.index, of, ...path], code, message: `The step ${update.id}: ${message}` }];
      });
    } catch (err) {
      logger.warn(
        { err },
        'the contacts service did not check the values of update_contact steps; they will be checked when a run reaches the step',
      );
      return [];
    }
  };
}

const memberAt = (members: object, path: readonly string[]) =>
  path.reduce<unknown>((member, name) => Reflect.get(Object(member), name), members);

const isStatic = (value: unknown) => typeof value !== 'string' || placeholdersIn(value).length === 0;

/** The members whose values do not depend on the run. */
const staticMembers = (members: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(members)
      .filter(([, value]) => isStatic(value))
      .map(([name, value]) => [name, staticValue(value)]),
  );

function staticValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter(isStatic).map(staticValue);
  return typeof value === 'object' && value !== null ? staticMembers(value) : value;
}
