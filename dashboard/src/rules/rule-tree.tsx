import { Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { NameOf } from '../names/names.ts';
import type { Explanation } from '../segments/memberships.ts';
import type { Rule } from '../segments/segments.ts';
import { absolute } from '../time/relative.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { type Condition, conditionLabel, times } from './rule-labels.ts';
import classes from './rule-tree.module.css';

/** A rule in words. */
export function RuleTree({ rule, named }: { rule: Rule; named: NameOf }) {
  if ('all' in rule)
    return <Group means="All of" parts={rule.all.map((part) => <RuleTree key={JSON.stringify(part)} rule={part} named={named} />)} />;
  if ('any' in rule)
    return <Group means="Any of" parts={rule.any.map((part) => <RuleTree key={JSON.stringify(part)} rule={part} named={named} />)} />;
  if ('not' in rule) return <Group means="Not" parts={[<RuleTree key="not" rule={rule.not} named={named} />]} />;
  return (
    <span className={classes.condition} title={eventTypes(rule)}>
      {conditionLabel(rule, named)}
    </span>
  );
}

/** The events of a condition as the API calls them. */
function eventTypes(condition: Condition): string | undefined {
  if ('event' in condition) return condition.event;
  if (!('sequence' in condition)) return undefined;
  return condition.sequence.map((step) => ('event' in step ? step.event : step.not_event)).join(', ');
}

/** A rule in words. Each part shows whether it matches one contact, and the value it was compared with. */
export function ExplanationTree({ explanation, named }: { explanation: Explanation; named: NameOf }) {
  const part = (inner: Explanation, index: number) => <ExplanationTree key={`${index}`} explanation={inner} named={named} />;
  const { matches, flips_at } = explanation;
  if ('all' in explanation) return <Group means="All of" matches={matches} parts={explanation.all.map(part)} />;
  if ('any' in explanation) return <Group means="Any of" matches={matches} parts={explanation.any.map(part)} />;
  if ('not' in explanation) return <Group means="Not" matches={matches} parts={[part(explanation.not, 0)]} />;
  return (
    <span className={classes.condition}>
      <MatchIcon matches={matches} /> {conditionLabel(explanation.rule, named)}
      <Text component="span" display="block" size="xs" c="dimmed">
        Value: {sawLabel(explanation.saw)}
        {flips_at && (
          <>
            . Changes <RelativeTime at={flips_at} /> without new activity.
          </>
        )}
      </Text>
    </span>
  );
}

function Group({ means, matches, parts }: { means: string; matches?: boolean; parts: ReactNode[] }) {
  return (
    <div className={classes.group}>
      <p className={classes.means}>
        {matches !== undefined && <MatchIcon matches={matches} />} {means}
      </p>
      <ul className={classes.parts}>
        {parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a rule are never reordered.
          <li key={index}>{part}</li>
        ))}
      </ul>
    </div>
  );
}

const MatchIcon = ({ matches }: { matches: boolean }) =>
  matches ? <IconCheck size={16} aria-label="Yes:" className={classes.yes} /> : <IconX size={16} aria-label="No:" className={classes.no} />;

function sawLabel(saw: unknown): string {
  if (saw === null || saw === undefined) return 'none';
  if (Array.isArray(saw)) return saw.length === 0 ? 'none' : saw.map(String).join(', ');
  if (typeof saw === 'object') {
    const count = 'count' in saw ? saw.count : undefined;
    const newest = 'newest' in saw && typeof saw.newest === 'string' ? `, most recently ${absolute(saw.newest)}` : '';
    return count === undefined ? JSON.stringify(saw) : `${times(Number(count))}${newest}`;
  }
  return String(saw);
}
