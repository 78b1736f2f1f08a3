import { ContactsFind } from '@mp/contracts/questions/contacts';
import { RuleEvaluated } from '@mp/contracts/questions/segments';
import type { Rule } from '@mp/rules/rule';
import type { Broker } from '@mp/service-kit/broker';
import type { Logger } from '@mp/service-kit/logger';
import type { Run } from './run.ts';

/** `known` is false while segments has not applied what the run has to wait for; `revision` is then kept for the next time. */
export type Evaluated = { known: true; taken: number | null; revision: number } | { known: false; revision: number };

export type EvaluateBranch = ReturnType<typeof createEvaluateBranch>;

type Asker = Pick<Run, 'contact_id' | 'revision' | 'after'> & { account_id: string };

/**
 * Asks segments for the first rule that holds for the contact of a run, in a state no older than what began the run: the
 * events that did, and the revision the contact had. A run that an event of the contact began carries this revision.
 * Others ask contacts for it before their first branch: the projection here may lag as much as that of segments.
 */
export function createEvaluateBranch({ broker, logger }: { broker: Pick<Broker, 'ask'>; logger: Pick<Logger, 'debug'> }) {
  async function currentRevision({ account_id, contact_id }: Asker): Promise<number | undefined> {
    const { contacts, merged } = await broker.ask(ContactsFind, { account_id, ids: [contact_id] });
    // A run of a contact that was merged goes on as the one that stays as soon as this is heard of.
    if (merged.length > 0) return undefined;
    return contacts[0]?.revision ?? 0;
  }

  return async function evaluateBranch(run: Asker, rules: readonly Rule[]): Promise<Evaluated> {
    let { revision, after = [] } = run;
    try {
      const current = revision === 0 ? await currentRevision(run) : revision;
      if (current === undefined) return { known: false, revision };
      revision = current;
      for (const [index, rule] of rules.entries()) {
        const { account_id, contact_id } = run;
        const reply = await broker.ask(RuleEvaluated, {
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
      logger.debug({ err: error, contact: run.contact_id }, 'rule not evaluated; retrying later');
      return { known: false, revision };
    }
  };
}
