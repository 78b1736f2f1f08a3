import type { AccountId } from '@mp/ids';
import type { Mongo } from '@mp/service-kit/mongo';
import type { Counts } from '../ledger/counters/contribution.ts';
import type { CountersStore } from '../ledger/counters/counters-store.ts';
import { stepVariantOf } from '../ledger/counters/step-variant.ts';

export type ReadMessages = ReturnType<typeof createReadMessages>;

/** Reads the counters of the emails of a workflow, or of the messages of the API, with each step and variant, in one snapshot. */
export const createReadMessages =
  ({ mongo, counters }: { mongo: Mongo; counters: Pick<CountersStore, 'read'> }) =>
  async (accountId: AccountId, sourceId: string, correlationId: string) => {
    const [bySteps, byVariants] = await mongo.transaction({ correlationId, causationId: null }, async (tx) => [
      await counters.read(tx, accountId, sourceId, 'step'),
      await counters.read(tx, accountId, sourceId, 'step_variant'),
    ]);
    const variants = byVariants.breakdown.map(({ key, counts }) => ({ ...stepVariantOf(key), counts }));
    return {
      counts: bySteps.counts,
      asOf: bySteps.asOf,
      steps: bySteps.breakdown.map(({ key, counts }) => ({
        ...{ step_id: key, counts },
        variants: variants.flatMap(({ step, variant: name, counts: own }): { name: string; counts: Counts }[] =>
          step === key ? [{ name, counts: own }] : [],
        ),
      })),
    };
  };
