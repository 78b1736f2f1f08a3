import { SegmentsExist } from '@mp/contracts/requests/segments';
import type { AccountId } from '@mp/ids';
import { dependenciesOf } from '@mp/rules/dependencies';
import { contactFields, fullFieldName } from '@mp/rules/fields';
import type { Broker } from '@mp/service-kit/broker';
import { z } from 'zod';
import type { Definition } from './definition.ts';
import type { FindUnknownInSteps, UnknownAttribute } from './message-warnings.ts';
import { occurrencesOf, rulesIn } from './occurrences-of.ts';

export const Warning = z.object({
  path: z.string(),
  code: z.enum(['unknown_segment', 'dynamic_segment', 'unknown_field', 'untracked_event', 'unknown_attribute']),
  message: z.string(),
});
export type Warning = z.infer<typeof Warning>;

const replyMs = 1_000;
const maxWarnings = 50;

/** The only event names that start with `$`. */
const ownEvents = new Set(['$pageview', '$identify', '$engagement', '$session_end']);
const maxEventName = 100;

const changing = new Set([...Object.keys(contactFields), 'address', 'attributes', 'consent', 'consent.topics']);
const unchanging = new Set(['created_at', 'updated_at']);

type Name = { path: string; name: string };
type Named = Pick<Definition, 'trigger' | 'steps' | 'exit_when'>;

export type FindWarnings = ReturnType<typeof createFindWarnings>;

type Deps = { broker: Pick<Broker, 'request'>; findUnknownInSteps: FindUnknownInSteps };

/**
 * Finds parts that are valid but cannot take effect: names that do not exist and may be typos. They are accepted, because
 * the segment may be created, the event tracked or the attribute set later. Without a reply from segments, campaigns or contacts
 * there are no warnings about what it knows.
 */
export function createFindWarnings({ broker, findUnknownInSteps }: Deps) {
  return async function findWarnings(accountId: AccountId, definition: Named): Promise<Warning[]> {
    const { trigger, steps } = definition;
    const rules = rulesIn(definition).map(({ path, rule }) => ({ path: `/${path.join('/')}`, rule: dependenciesOf(rule) }));
    const awaited = occurrencesOf(definition).map(({ path, occurrence }) => ({ path: `/${path.join('/')}`, occurrence }));
    const inRules = (of: 'segments' | 'events') => rules.flatMap(({ path, rule }) => rule[of].map((name) => ({ path, name })));
    const changed = steps.flatMap((step, index) =>
      'segment_id' in step ? [{ path: `/steps/${index}/segment_id`, name: step.segment_id }] : [],
    );
    const segments = [
      ...changed,
      ...('segment_id' in trigger ? [{ path: '/trigger/segment_id', name: trigger.segment_id }] : []),
      ...awaited.flatMap(({ path, occurrence }) =>
        'segment_id' in occurrence ? [{ path: `${path}/segment_id`, name: occurrence.segment_id }] : [],
      ),
      ...inRules('segments'),
    ];
    const events = [
      ...(trigger.type === 'event' ? [{ path: '/trigger/name', name: trigger.name }] : []),
      ...awaited.flatMap(({ path, occurrence }) => (occurrence.type === 'event' ? [{ path: `${path}/name`, name: occurrence.name }] : [])),
      ...inRules('events'),
    ];
    const fields = trigger.type === 'contact_updated' ? (trigger.fields ?? []) : [];
    const { missing, dynamic } = await existing(accountId, segments);
    return [
      ...segments.filter(({ name }) => missing.has(name)).map(unknownSegment),
      ...changed.filter(({ name }) => dynamic.has(name)).map(dynamicSegment),
      ...events.filter(({ name }) => !canBeTracked(name)).map(untracked),
      ...fields
        .map((name, index) => ({ path: `/trigger/fields/${index}`, name }))
        .filter(({ name }) => !canChange(name))
        .map(unknownField),
      ...(await findUnknownInSteps(accountId, steps)).map(unknownAttribute),
    ].slice(0, maxWarnings);
  };

  async function existing(accountId: AccountId, segments: readonly Name[]): Promise<Record<'missing' | 'dynamic', Set<string>>> {
    const segment_ids = [...new Set(segments.map(({ name }) => name))].slice(0, 100);
    if (segment_ids.length === 0) return { missing: new Set(), dynamic: new Set() };
    try {
      const { missing, dynamic } = await broker.request(SegmentsExist, { account_id: accountId, segment_ids }, replyMs);
      return { missing: new Set(missing), dynamic: new Set(dynamic) };
    } catch {
      return { missing: new Set(), dynamic: new Set() };
    }
  }
}

const canBeTracked = (name: string) =>
  name === name.trim().normalize('NFC') && name.length <= maxEventName && (!name.startsWith('$') || ownEvents.has(name));

function canChange(field: string) {
  const name = fullFieldName(field);
  return !unchanging.has(name) && (changing.has(name) || /^(attributes|consent\.topics)\../.test(name));
}

const unknownSegment = ({ path, name }: Name): Warning => ({
  path,
  code: 'unknown_segment',
  message: `The account has no segment ${name}.`,
});

const dynamicSegment = ({ path, name }: Name): Warning => ({
  path,
  code: 'dynamic_segment',
  message: `${name} is a dynamic segment, whose members follow from its definition; the step will be refused.`,
});

const untracked = ({ path, name }: Name): Warning => ({
  path,
  code: 'untracked_event',
  message: `No tracked event can be named ${JSON.stringify(name)}: names have no leading or trailing spaces, are in Unicode NFC, have at most ${maxEventName} characters, and start with $ only if they are one of ${[...ownEvents].join(', ')}.`,
});

const unknownField = ({ path, name }: Name): Warning => ({
  path,
  code: 'unknown_field',
  message: `${name} is not a contact field that can change; these can: ${[...changing].filter((field) => !unchanging.has(field)).join(', ')} and attributes.<key>.`,
});

const unknownAttribute = ({ path, stepId, key }: UnknownAttribute): Warning => ({
  path,
  code: 'unknown_attribute',
  message: `The step ${stepId}: no contact of the account has ever had the attribute ${key}, which the email reads as contact.attributes.${key}.`,
});
