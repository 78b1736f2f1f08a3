import type { CampaignActivity, FormActivity } from '@mp/rules/activity';
import fc from 'fast-check';
import { plainRules } from './history-rules.ts';

/** The steps of a random history, drawn from few values so that they often conflict. */
export type Step =
  | { do: 'change'; who: number; city: string; tags: string[]; plan: string | null }
  | { do: 'remove'; who: number }
  | { do: 'act'; who: number; name: string; hoursAgo: number; total: number; deliveries: number }
  | { do: 'message'; who: number; activity: CampaignActivity; hoursAgo: number; machine: boolean }
  | { do: 'form'; who: number; activity: FormActivity; form: string; hoursAgo: number }
  | { do: 'reclassify'; which: number; machine: boolean }
  | { do: 'define'; rule: number; named: number }
  | { do: 'redefine'; which: number; rule: number; named: number }
  | { do: 'merge'; who: number; into: number }
  | { do: 'unmerge' }
  | { do: 'list' }
  | { do: 'edit'; which: number; who: number; add: boolean }
  | { do: 'drop'; which: number }
  | { do: 'wait'; hours: number }
  | { do: 'backfill' };

const who = fc.nat(2);
const hoursAgo = fc.nat(60);
const rule = fc.nat(plainRules.length + 6);
const named = fc.nat(5);
export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      who,
      city: fc.constantFrom('Berlin', 'Bonn'),
      tags: fc.subarray(['vip', 'new']),
      plan: fc.constantFrom('pro', null),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), who }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('act' as const),
      who,
      name: fc.constantFrom('order_placed', 'signed_in'),
      hoursAgo,
      total: fc.nat(20),
      deliveries: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('message' as const),
      who,
      activity: fc.constantFrom('delivered' as const, 'opened' as const, 'clicked' as const, 'complained' as const),
      hoursAgo,
      machine: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('form' as const),
      who,
      activity: fc.constantFrom('submitted' as const, 'confirmed' as const),
      form: fc.constantFrom('form_1', 'form_2'),
      hoursAgo,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reclassify' as const), which: fc.nat(20), machine: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('define' as const), rule, named }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('redefine' as const), which: named, rule, named }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('merge' as const), who, into: who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('unmerge' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('list' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('edit' as const), which: named, who, add: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const), which: named }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('backfill' as const) }) },
);

/** How a history starts: a few contacts, and segments that most steps can affect. */
export const beginning: readonly Step[] = [
  ...[0, 1, 2].map((number): Step => ({ do: 'change', who: number, city: 'Berlin', tags: [], plan: null })),
  ...[4, 5, 6, 16, 17, 18, 19, 20, 21, 22, 23].map((number): Step => ({ do: 'define', rule: number, named: 0 })),
  { do: 'list' },
  { do: 'define', rule: 9, named: 3 },
  { do: 'define', rule: 9, named: 1 },
  { do: 'define', rule: 10, named: 1 },
  { do: 'define', rule: 13, named: 1 },
  { do: 'define', rule: 14, named: 1 },
  { do: 'define', rule: 15, named: 1 },
  { do: 'define', rule: 24, named: 1 },
];
