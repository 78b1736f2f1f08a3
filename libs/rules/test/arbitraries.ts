import fc from 'fast-check';
import { type Activity, campaignActivityOf, formActivityOf } from '../src/activity.ts';
import type { ContactProfile } from '../src/contact-profile.ts';
import type { Leaf, Rule } from '../src/rule.ts';
import type { SequenceLeaf } from '../src/sequence-leaf.ts';
import type { Subject } from '../src/subject.ts';

/** Rules and subjects with few distinct values, so that they match often, and close in time, so that windows start and end. */

export const hourMs = 3_600_000;
const base = Date.UTC(2026, 2, 20);

const instant = fc.oneof(
  fc.integer({ min: -60 * 24, max: 60 * 24 }).map((hours) => base + hours * hourMs),
  fc.integer({ min: base - 60 * 24 * hourMs, max: base + 60 * 24 * hourMs }),
);
export const now = instant.map((ms) => new Date(ms));

const window = fc.constantFrom('PT1H', 'P1D', 'P7D', 'P30D', 'P2W', 'P1DT12H', 'PT90M');
const timezone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/Havana', 'Pacific/Apia');
const day = instant.map((ms) => new Date(ms).toISOString().slice(0, 10));
const moment = fc.oneof(
  day,
  instant.map((ms) => new Date(ms).toISOString()),
);
const word = fc.constantFrom('Berlin', 'berlin', 'Paris', 'vip', 'Élan', 'e\u0301lan', 'x');
const scalar = fc.oneof(word, fc.integer({ min: 0, max: 5 }), fc.boolean());
const textField = fc.constantFrom('city', 'address.country', 'first_name', 'email', 'consent.email', 'consent.email.topics.news');
const dateField = fc.constantFrom('created_at', 'last_seen_at', 'attributes.renews');
const attribute = fc.constantFrom('attributes.plan', 'attributes.score', 'attributes.renews', 'attributes.sizes');
const name = fc.constantFrom('order_placed', 'signed_in');
const campaign = fc.constantFrom('campaign_1', 'campaign_2');
const activity = fc.constantFrom('opened' as const, 'clicked' as const);
const form = fc.constantFrom('form_1', 'form_2');
const formActivity = fc.constantFrom('submitted' as const, 'confirmed' as const);
const segment = fc.constantFrom('segment_1', 'segment_2');
const times = fc.integer({ min: 0, max: 4 });
const count = fc.oneof(
  times.map((gte) => ({ gte })),
  times.map((lte) => ({ lte })),
  times.map((eq) => ({ eq })),
  fc.tuple(times, times).map(([gte, lte]) => ({ gte, lte })),
);
const where = fc.constantFrom(
  {},
  { 'properties.total': { gte: 2 } },
  { 'properties.total': { gt: 1, lt: 4 }, 'properties.plan': 'VIP' },
  { 'properties.plan': { exists: false } },
  { 'value.currency': 'EUR', 'value.amount': { gt: 0 } },
);
const bound = fc.integer({ min: 0, max: 8 });
const test = fc.oneof(
  bound.map((gte) => ({ gte })),
  bound.map((lt) => ({ lt })),
  fc.tuple(bound, bound).map(([gt, lte]) => ({ gt, lte })),
);
const measured = fc
  .tuple(
    fc.constantFrom({ of: 'value.amount', currency: 'EUR' }, { of: 'value.amount', currency: 'USD' }, { of: 'properties.total' }),
    test,
  )
  .map(([of, tested]) => ({ ...of, ...tested }));
const timed = fc.oneof(
  fc.record({ op: fc.constantFrom('in_last' as const, 'not_in_last' as const), value: window }),
  fc.record({ op: fc.constantFrom('before' as const, 'after' as const), value: fc.oneof(moment, fc.constant('now')) }),
);
export const aggregate = fc.oneof(
  fc.tuple(fc.constantFrom('sum', 'avg', 'min', 'max'), measured).map(([kind, of]) => ({ [kind]: of })),
  fc.tuple(fc.constantFrom('first', 'last'), timed).map(([kind, tested]) => ({ [kind]: tested })),
);
const optional = <T>(of: fc.Arbitrary<T>, key: string) =>
  fc.option(of, { nil: undefined }).map((value) => (value === undefined ? {} : { [key]: value }));
const joined = <A extends object>(needed: fc.Arbitrary<A>, ...more: fc.Arbitrary<object>[]): fc.Arbitrary<A> =>
  fc.tuple(needed, ...more).map(([first, ...rest]) => Object.assign({}, first, ...rest));

const fieldLeaf: fc.Arbitrary<Leaf> = fc.oneof(
  fc.record({
    field: textField,
    op: fc.constantFrom('eq' as const, 'ne' as const, 'contains' as const, 'starts_with' as const),
    value: word,
  }),
  fc.record({
    field: fc.oneof(textField, fc.constant('tags')),
    op: fc.constantFrom('in' as const, 'not_in' as const),
    value: fc.array(word, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ field: fc.constant('tags'), op: fc.constantFrom('contains' as const, 'not_contains' as const), value: word }),
  fc.record({ field: attribute, op: fc.constantFrom('eq' as const, 'ne' as const), value: scalar }),
  fc.record({
    field: attribute,
    op: fc.constantFrom('gt' as const, 'lte' as const),
    value: fc.oneof(fc.integer({ min: 0, max: 5 }), moment),
  }),
  fc.record({ field: dateField, op: fc.constantFrom('gte' as const, 'lt' as const), value: moment }),
  fc.record({ field: fc.oneof(textField, attribute, dateField), op: fc.constantFrom('exists' as const, 'missing' as const) }),
);

const zoned = optional(timezone, 'timezone');
const dateLeaf: fc.Arbitrary<Leaf> = fc.oneof(
  joined(
    fc.record({ date: dateField, op: fc.constantFrom('in_last' as const, 'not_in_last' as const, 'in_next' as const), value: window }),
    zoned,
  ),
  joined(
    fc.record({ date: dateField, op: fc.constantFrom('before' as const, 'after' as const), value: fc.oneof(moment, fc.constant('now')) }),
    zoned,
  ),
  joined(fc.record({ date: dateField, op: fc.constant('on' as const), value: day }), zoned),
);
export const anniversaryLeaf: fc.Arbitrary<Leaf> = joined(
  fc.record({ date: dateField, op: fc.constant('anniversary' as const) }),
  zoned,
  optional(fc.constantFrom('P1D', 'P7D', 'P180D'), 'within'),
);

const activityLeaf: fc.Arbitrary<Leaf> = fc.oneof(
  joined(fc.record({ event: name, where }), optional(count, 'count'), optional(window, 'in_last')),
  joined(fc.record({ event: name, where }), aggregate, optional(window, 'in_last')),
  joined(fc.record({ campaign: fc.oneof(campaign, fc.constant('any')), activity }), optional(count, 'count'), optional(window, 'in_last')),
  joined(
    fc.record({ form: fc.oneof(form, fc.constant('any')), activity: formActivity }),
    optional(count, 'count'),
    optional(window, 'in_last'),
  ),
);
const windowHours = { PT1H: 1, P1D: 24, P7D: 7 * 24, P30D: 30 * 24 };
const span = fc.constantFrom('PT1H' as const, 'P1D' as const, 'P7D' as const);
const happened = fc.record({ event: name, where });
const absent = fc.tuple(name, where).map(([not_event, where]) => ({ not_event, where }));
export const sequenceLeaf: fc.Arbitrary<SequenceLeaf> = fc
  .tuple(
    fc.array(happened, { minLength: 1, maxLength: 3 }),
    fc.array(absent, { maxLength: 2 }),
    span,
    fc.constantFrom(undefined, 'P1D' as const, 'P7D' as const, 'P30D' as const),
  )
  .filter(([events, none]) => events.length + none.length > 1)
  .filter(([, , within, in_last]) => in_last === undefined || windowHours[in_last] > windowHours[within])
  .map(([events, none, within, in_last]) => ({ sequence: [...events, ...none], within, ...(in_last && { in_last }) }));
const segmentLeaf: fc.Arbitrary<Leaf> = joined(fc.record({ segment }), optional(fc.constantFrom('in', 'not_in'), 'op'));

/** Rules of these conditions, at most three levels deep. */
export const ruleOf = (leaf: fc.Arbitrary<Leaf>): fc.Arbitrary<Rule> =>
  fc
    .letrec<{ rule: Rule }>((tie) => ({
      rule: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        leaf,
        fc.array(tie('rule'), { minLength: 1, maxLength: 4 }).map((all) => ({ all })),
        fc.array(tie('rule'), { minLength: 1, maxLength: 4 }).map((any) => ({ any })),
        tie('rule').map((not) => ({ not })),
      ),
    }))
    // fast-check's records have no prototype; parsed JSON has one.
    .rule.map((rule) => structuredClone(rule));

/** Conditions that change a limited number of times, unlike anniversaries. */
export const finiteLeaf = fc.oneof(fieldLeaf, dateLeaf, activityLeaf, sequenceLeaf, segmentLeaf);
export const rule = ruleOf(fc.oneof(finiteLeaf, anniversaryLeaf));

const nothing = fc.constantFrom(null, undefined);
const maybe = <T>(of: fc.Arbitrary<T>) => fc.oneof({ weight: 4, arbitrary: of }, { weight: 1, arbitrary: nothing });
const dateOrText = fc.oneof(
  instant.map((ms) => new Date(ms)),
  instant.map((ms) => new Date(ms).toISOString()),
);

export const contact: fc.Arbitrary<ContactProfile> = fc.record({
  email: maybe(word),
  first_name: maybe(word),
  address: maybe(fc.record({ city: maybe(word), country: maybe(word) })),
  tags: maybe(fc.array(word, { maxLength: 3 })),
  consent: maybe(fc.record({ email: maybe(word), topics: maybe(fc.record({ news: fc.record({ email: maybe(word) }) })) })),
  created_at: maybe(dateOrText),
  last_seen_at: maybe(dateOrText),
  attributes: maybe(
    fc.record(
      {
        plan: scalar,
        score: fc.oneof(fc.integer({ min: 0, max: 5 }), word),
        renews: fc.oneof(moment, word),
        sizes: fc.array(word, { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
  ),
});

const tracked: fc.Arbitrary<Activity> = fc.record({
  name,
  time: now,
  value: fc.option(fc.record({ amount: fc.integer({ min: -3, max: 5 }), currency: fc.constantFrom('EUR', 'USD') })),
  properties: fc.record({ total: fc.integer({ min: 0, max: 5 }), plan: fc.constantFrom('vip', 'free', null) }, { requiredKeys: [] }),
});
const campaigned: fc.Arbitrary<Activity> = fc.tuple(campaign, activity, now).map(([id, kind, time]) => campaignActivityOf(id, kind, time));
const ofForm: fc.Arbitrary<Activity> = fc.tuple(form, formActivity, now).map(([id, kind, time]) => formActivityOf(id, kind, time));

export const activities = fc
  .array(fc.oneof(tracked, campaigned, ofForm), { maxLength: 12 })
  .map((all) => all.toSorted((a, b) => b.time.getTime() - a.time.getTime()));

export const subjectOf = (contact: ContactProfile, activities: readonly Activity[] = [], segments: Iterable<string> = []): Subject => ({
  contact,
  activities: (name) => activities.filter((one) => one.name === name),
  segments: new Set(segments),
});

export const subject: fc.Arbitrary<Subject> = fc
  .tuple(contact, activities, fc.subarray(['segment_1', 'segment_2']))
  .map(([who, did, within]) => subjectOf(who, did, within));
