import { ContactsFind } from '@mp/contracts/requests/contacts';
import { RuleEvaluated } from '@mp/contracts/requests/segments';
import type { AccountId } from '@mp/ids';
import type { Rule } from '@mp/rules/rule';
import type { Broker } from '@mp/service-kit/broker';
import type { Logger } from '@mp/service-kit/logger';
import type { Run } from './run.ts';

/** `known` is false while segments has not applied what the run must wait for; the next attempt reuses `revision`. */
export type Evaluated = { known: true; taken: number | null; revision: number } | { known: false; revision: number };

export type EvaluateBranch = ReturnType<typeof createEvaluateBranch>;

type Asker = Pick<Run, 'contact_id' | 'revision' | 'after'> & { account_id: AccountId };

/**
 * Requests from segments the first rule that the contact of a run matches, on data no older than the start of the run:
 * the events that started it and the revision that the contact had. A run started by an event of the contact carries this
 * revision. Other runs request it from contacts before their first branch, because the
 * local projection may lag as well. With `fresh`, it is requested each time.
 */
export function createEvaluateBranch({ broker, logger }: { broker: Pick<Broker, 'request'>; logger: Pick<Logger, 'debug'> }) {
  async function currentRevision({ account_id, contact_id }: Asker): Promise<number | undefined> {
    const { contacts, merged } = await broker.request(ContactsFind, { account_id, ids: [contact_id] });
    // The run continues for the surviving contact as soon as the event of the merge arrives.
    if (merged.length > 0) return undefined;
    return contacts[0]?.revision ?? 0;
  }

  return async function evaluateBranch(run: Asker, rules: readonly Rule[], { fresh = false } = {}): Promise<Evaluated> {
    let { revision, after = [] } = run;
    try {
      const current = revision === 0 || fresh ? await currentRevision(run) : revision;
      if (current === undefined) return { known: false, revision };
      revision = current;
      for (const [index, rule] of rules.entries()) {
        const { account_id, contact_id } = run;
        const reply = await broker.request(RuleEvaluated, {
          account_id,
          contact_id,
          rule,
          at_least_revision: revision,
          after_events: [...after],
        });
        if (!reply.known) return { known: false, revision };
        if (reply.matches) return { known: true, taken: index, revision };
        after = [];
      }
      return { known: true, taken: null, revision };
    } catch (error) {
      logger.debug({ err: error, contact: run.contact_id }, 'cannot evaluate a rule; retrying later');
      return { known: false, revision };
    }
  };
}
