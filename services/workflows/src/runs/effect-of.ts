import type { Contact } from '@mp/contracts/contact';
import type { Rule } from '@mp/rules/rule';
import { conditionsHold } from '@mp/rules/where';
import type { Definition } from '../workflows/definition.ts';
import { messageOf } from '../workflows/message-of-step.ts';
import { stateOf } from '../workflows/occurrence.ts';
import { fillPlaceholders, readsContact } from '../workflows/placeholders.ts';
import type { Step } from '../workflows/step.ts';
import { valueAt } from '../workflows/value-at.ts';
import type { Effect, Run } from './run.ts';
import { runScope } from './run-scope.ts';
import { variantOf } from './variant-of.ts';

const maxFilledBytes = 64 * 1024;

/** What a step requests under this key; empty for steps that only wait or end. Throws FilledTooLarge. */
export function effectOf(step: Step, { key, run, contact }: { key: string; run: Run; contact?: Contact | null }): Effect[] {
  const { waiting } = run;
  switch (step.type) {
    case 'add_tag':
    case 'remove_tag':
      return [{ type: 'contact', key, change: { type: step.type, tag: step.tag } }];
    case 'update_contact': {
      const stored = waiting?.for === 'effect' && waiting.key === key ? waiting.set : undefined;
      const members = stored ?? recordOf(fillPlaceholders(step.set, runScope(run, contact), maxFilledBytes));
      const { increment } = step;
      return [{ type: 'contact', key, change: { type: 'update_contact', members, ...(increment && { increment }) } }];
    }
    case 'send': {
      const taken = waiting?.for === 'effect' && waiting.key === key ? waiting.variant : undefined;
      const { step: sent, variant } = variantOf(step, run, taken);
      const category = step.category ?? 'marketing';
      return [{ type: 'send', key, message: messageOf(sent), category, ...(variant !== undefined && { variant }) }];
    }
    case 'branch': {
      const rules = rulesBefore(step, run);
      return rules.length > 0 ? [{ type: 'ask', key, rules }] : [];
    }
    case 'wait_until': {
      const rules = rulesOf(step).map(({ rule }, index) => ({ index, rule }));
      return rules.length > 0 ? [{ type: 'ask', key, rules, fresh: true }] : [];
    }
    case 'start_workflow': {
      const data = recordOf(fillPlaceholders(step.data, runScope(run), maxFilledBytes));
      return [{ type: 'start', key, workflowId: step.workflow_id, data }];
    }
    case 'track_event': {
      const properties = recordOf(fillPlaceholders(step.properties, runScope(run), maxFilledBytes));
      return [{ type: 'track', key, event: step.event, properties }];
    }
    case 'notify': {
      const { user_id, subject, text } = step;
      const stored = waiting?.for === 'effect' && waiting.key === key ? waiting.set : undefined;
      const filled = stored ?? recordOf(fillPlaceholders({ subject, text }, runScope(run, contact), maxFilledBytes));
      return [{ type: 'notify', key, notification: { user_id, subject: filledText(filled.subject), text: filledText(filled.text) } }];
    }
    case 'add_to_segment':
    case 'remove_from_segment': {
      const to = step.type === 'add_to_segment' ? 'inside' : 'outside';
      return [{ type: 'member', key, change: { segmentId: step.segment_id, to } }];
    }
    case 'webhook':
      return [{ type: 'webhook', key, call: { url: step.url, method: step.method, headers: step.headers, body: step.body } }];
    default:
      return [];
  }
}

/** The effect that an open run waits for. */
export function awaitedEffect(definition: Definition, run: Run): Effect | undefined {
  const step = definition.steps.find(({ id }) => id === run.step);
  if (!step || run.waiting === null || !('key' in run.waiting) || run.waiting.for === 'event') return undefined;
  const { key } = run.waiting;
  // Quiet hours may have been removed since the look-up of the contact was requested.
  if (run.waiting.for === 'answer' && (step.type === 'send' || needsContact(definition, step))) return { type: 'look_up', key };
  return effectOf(step, { key, run })[0];
}

/** Whether the contact must be looked up before the step can be taken. */
export function needsContact({ quiet_hours }: Pick<Definition, 'quiet_hours'>, step: Step): boolean {
  if (step.type === 'delay') return step.until_local !== undefined || step.until_date !== undefined;
  if (step.type === 'update_contact') return readsContact(step.set);
  if (step.type === 'notify') return readsContact([step.subject, step.text]);
  return step.type === 'send' && quiet_hours !== null && step.category !== 'transactional';
}

type Branch = Step & { type: 'branch' };

/** The first branch whose conditions on the data of the run match; -1 if there is none. */
export const dataBranch = ({ branches }: Branch, run: Run): number =>
  branches.findIndex(({ data }) => data && conditionsHold(data, (name) => valueAt(runScope(run), name)));

/** The rules that are evaluated before that branch is taken. */
export function rulesBefore(step: Branch, run: Run): { index: number; rule: Rule }[] {
  const first = dataBranch(step, run);
  const before = first < 0 ? step.branches : step.branches.slice(0, first);
  return before.flatMap(({ when }, index) => (when ? [{ index, rule: when }] : []));
}

const filledText = (value: unknown) => (typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value));

const recordOf = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null ? { ...value } : {});

/** What a `wait_until` step waits for that may be so already, with its rule. */
export const rulesOf = ({ any }: Step & { type: 'wait_until' }) =>
  any.flatMap((occurrence) => {
    const rule = stateOf(occurrence);
    return rule ? [{ occurrence, rule }] : [];
  });
