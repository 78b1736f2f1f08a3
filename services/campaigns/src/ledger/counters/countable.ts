import { groupOf, latenessOf, type RecipientDocument } from '../recipients/recipient-row.ts';
import type { Countable } from './contribution.ts';
import { stepVariantKey } from './step-variant.ts';

/** The fields of a row that decide what of it is counted. */
export const countedFields = {
  ...{ state: 1, variant: 1, address: 1, tally: 1, parts: 1, conversions: 1, sent_at: 1, scheduled_for: 1 },
  ...{ compared: 1, held_out_at: 1, outcomes: 1, step: 1, step_variant: 1, template: 1 },
  ...{ counted: 1, tally_counted: 1, parts_counted: 1 },
};

/**
 * What of the row is counted now. An erased row keeps the domain it was counted with. A row that an earlier release counted without its
 * template stays without it: its changes would count, and what came before would not.
 */
export function countableOf(row: RecipientDocument): Countable {
  const { state, variant, address, tally, parts, conversions, outcomes, step, step_variant, template, counted } = row;
  const group = groupOf(row);
  const countsTemplate = counted === undefined || counted.template !== undefined;
  const lateness = latenessOf(row);
  const domain = address === null ? counted?.domain : address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  return {
    state,
    ...(variant !== undefined && { variant }),
    ...(domain !== undefined && { domain }),
    ...(tally && { tally }),
    ...(parts && { parts }),
    ...(conversions && { conversions }),
    ...(group && { group }),
    ...(outcomes && { outcomes }),
    ...(step !== undefined && { step }),
    ...(step !== undefined && step_variant !== undefined && { step_variant: stepVariantKey(step, step_variant) }),
    ...(template && countsTemplate && { template: template.id }),
    ...(lateness !== null && { lateness }),
  };
}

/** What of the row the counters include. */
export const countedOf = ({ counted, tally_counted, parts_counted }: RecipientDocument): Countable | undefined =>
  counted ?? (tally_counted && { tally: tally_counted, ...(parts_counted && { parts: parts_counted }) });

/** The change of what is counted. */
export const changedOf = (row: RecipientDocument) => ({ before: countedOf(row), after: countableOf(row) });
