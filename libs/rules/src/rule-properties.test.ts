import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anniversaryLeaf, contact, finiteLeaf, hourMs, now, rule, ruleOf, subject, subjectOf } from '../test/arbitraries.ts';
import { activityNames } from './dependencies.ts';
import { explainRule } from './explain.ts';
import { Rule } from './rule.ts';
import { compileRule } from './rule-predicate.ts';
import type { Subject } from './subject.ts';

const runs = { numRuns: 500 };
const matches = (rule: Rule, subject: Subject, now: Date) => compileRule(rule).matches(subject, now).matches;

test('every generated rule passes the schema unchanged in both directions', () => {
  fc.assert(
    fc.property(rule, (rule) => {
      assert.deepEqual(Rule.parse(rule), rule);
      assert.deepEqual(Rule.encode(rule), rule);
    }),
    runs,
  );
});

test('a double negation equals the rule', () => {
  fc.assert(
    fc.property(rule, subject, now, (rule, subject, now) => {
      assert.deepEqual(compileRule({ not: { not: rule } }).matches(subject, now), compileRule(rule).matches(subject, now));
    }),
    runs,
  );
});

test('`not` of `all` equals `any` of `not`, with the same flipsAt', () => {
  fc.assert(
    fc.property(fc.array(rule, { minLength: 1, maxLength: 4 }), subject, now, (rules, subject, now) => {
      const notAll = compileRule({ not: { all: rules } }).matches(subject, now);
      assert.deepEqual(notAll, compileRule({ any: rules.map((not) => ({ not })) }).matches(subject, now));
    }),
    runs,
  );
});

/** Later times to evaluate at: the given ones, and all at which a window of the test's lengths could start or end. */
const windows = [0, 1, 1.5, 24, 36, 7 * 24, 14 * 24, 30 * 24].map((hours) => hours * hourMs);
function laterMoments(subject: Subject, now: Date, random: readonly number[]): number[] {
  const { contact } = subject;
  const dates = [contact.created_at, contact.last_seen_at, contact.attributes?.renews];
  const names = ['order_placed', 'signed_in', '$campaign.opened', '$campaign.clicked', '$form.submitted', '$form.confirmed'];
  const anchors = [
    ...dates.flatMap((date) => (date instanceof Date ? [date.getTime()] : typeof date === 'string' ? [Date.parse(date)] : [])),
    ...names.flatMap((name) => subject.activities(name).map(({ time }) => time.getTime())),
  ];
  const edges = anchors.flatMap((anchor) => windows.flatMap((length) => [anchor - length, anchor + length, anchor + length + 1]));
  return [...edges, ...random.map((hours) => now.getTime() + hours * hourMs)].filter((ms) => ms > now.getTime());
}
const later = fc.array(fc.double({ min: 0, max: 800 * 24, noNaN: true }).map(Math.abs), { minLength: 20, maxLength: 20 });

test('the result does not change before flipsAt, and never without one', () => {
  fc.assert(
    fc.property(rule, subject, now, later, (rule, subject, now, later) => {
      const compiled = compileRule(rule);
      const { matches, flipsAt } = compiled.matches(subject, now);
      const end = flipsAt?.getTime() ?? Number.POSITIVE_INFINITY;
      const moments = laterMoments(subject, now, later).filter((ms) => ms < end);
      if (flipsAt && end - 1 >= now.getTime()) moments.push(end - 1);
      for (const ms of moments) {
        assert.equal(
          compiled.matches(subject, new Date(ms)).matches,
          matches,
          `changed at ${new Date(ms).toISOString()}, before ${flipsAt?.toISOString()}`,
        );
      }
    }),
    { numRuns: 700 },
  );
});

test('the result changes at flipsAt', () => {
  fc.assert(
    fc.property(ruleOf(finiteLeaf), subject, now, (rule, subject, now) => {
      const compiled = compileRule(rule);
      const { matches, flipsAt } = compiled.matches(subject, now);
      if (flipsAt) assert.equal(compiled.matches(subject, flipsAt).matches, !matches);
    }),
    { numRuns: 2_000 },
  );
});

test('the result of an anniversary changes at flipsAt', () => {
  fc.assert(
    fc.property(anniversaryLeaf, subject, now, (rule, subject, now) => {
      const compiled = compileRule(rule);
      const { matches, flipsAt } = compiled.matches(subject, now);
      if (flipsAt) assert.equal(compiled.matches(subject, flipsAt).matches, !matches);
    }),
    runs,
  );
});

test('flipsAt is after now, and null for a rule that does not depend on time', () => {
  fc.assert(
    fc.property(rule, subject, now, (rule, subject, now) => {
      const compiled = compileRule(rule);
      const { flipsAt } = compiled.matches(subject, now);
      if (!compiled.dependencies.time) assert.equal(flipsAt, null);
      if (flipsAt) assert.ok(flipsAt > now);
    }),
    runs,
  );
});

test('the root of an explanation has the result of the rule', () => {
  fc.assert(
    fc.property(rule, subject, now, (rule, subject, now) => {
      const { matches, flipsAt } = compileRule(rule).matches(subject, now);
      const explained = explainRule(rule, subject, now);
      assert.equal(explained.matches, matches);
      assert.equal(explained.flips_at, flipsAt?.toISOString() ?? null);
    }),
    runs,
  );
});

test('changes outside its dependencies never affect the result of a rule', () => {
  fc.assert(
    fc.property(rule, subject, contact, subject, now, (rule, subject, otherContact, other, now) => {
      const { dependencies } = compileRule(rule);
      const keeps = (field: string) => dependencies.fields.some((dependency) => dependency === field || dependency.startsWith(`${field}.`));
      // Keep a whole branch if the rule uses any part of it.
      const changed = Object.fromEntries(
        Object.entries({ ...otherContact, ...subject.contact }).map(([field, value]) => [
          field,
          keeps(field) ? value : Reflect.get(otherContact, field),
        ]),
      );
      const names = activityNames(dependencies);
      const altered: Subject = {
        contact: changed,
        activities: (name) => (names.includes(name) ? subject.activities(name) : other.activities(name)),
        segments: new Set([
          ...[...subject.segments].filter((id) => dependencies.segments.includes(id)),
          ...[...other.segments].filter((id) => !dependencies.segments.includes(id)),
        ]),
      };
      assert.deepEqual(compileRule(rule).matches(altered, now), compileRule(rule).matches(subject, now));
    }),
    runs,
  );
});

test('any and all of one part equal the part', () => {
  fc.assert(
    fc.property(rule, contact, now, (rule, contact, now) => {
      const subject = subjectOf(contact);
      assert.equal(matches({ all: [rule] }, subject, now), matches(rule, subject, now));
      assert.equal(matches({ any: [rule] }, subject, now), matches(rule, subject, now));
      assert.equal(matches({ not: rule }, subject, now), !matches(rule, subject, now));
    }),
    runs,
  );
});
