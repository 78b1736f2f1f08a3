import type { AccountId } from '@mp/ids';
import { attributePrefix, fullFieldName } from '@mp/rules/fields';
import type { Rule } from '@mp/rules/rule';
import { eventOf } from '@mp/rules/sequence-leaf';
import type { AttributeTypes } from '@mp/service-kit/attribute-types';
import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { leavesOf } from '../activities/rule-leaves.ts';
import type { NameKind, NamesStore } from '../names/names-store.ts';

export const Warning = z
  .object({
    path: z.string().describe('The JSON pointer of the condition.'),
    code: z.enum(['unknown_event', 'unknown_attribute']),
    message: z.string(),
    nearest: z
      .string()
      .nullable()
      .describe('The most similar name that the account has; null if none is similar, and beyond the first five names.'),
  })
  .meta({ id: 'SegmentWarning' });
export type Warning = z.infer<typeof Warning>;

export type FindWarnings = ReturnType<typeof createFindWarnings>;

type Named = { path: string; kind: NameKind; name: string };

type Deps = {
  names: Pick<NamesStore, 'unknown' | 'list'>;
  /** The types of attributes in the catalogue of contacts, which knows an attribute before its first contact arrives here. */
  typesOf: AttributeTypes;
};

const maxWarnings = 50;

/** For how many names of each kind a similar one is looked for, and among how many: comparing takes microseconds, on the event loop. */
const maxCompared = 5;
const maxComparisons = 1_000;

/**
 * Finds names in a definition that the account has never had, which may be typos. They are accepted, because the event may be
 * tracked, or the attribute set, later.
 */
export function createFindWarnings({ names, typesOf }: Deps) {
  async function unknownOf(accountId: AccountId, kind: NameKind, named: readonly string[]) {
    const unknown = await names.unknown(accountId, kind, named);
    const typed = kind === 'attribute' && unknown.size > 0 ? await typesOf(accountId, [...unknown]) : new Map<string, unknown>();
    return { unknown: new Set([...unknown].filter((name) => !typed.has(name))), arriving: [...typed.keys()] };
  }

  async function warningsOf(accountId: AccountId, kind: NameKind, named: readonly Named[]): Promise<Warning[]> {
    const { unknown, arriving } = await unknownOf(accountId, kind, [...new Set(named.map(({ name }) => name))]);
    if (unknown.size === 0) return [];
    const known = [...(await names.list(accountId, kind)), ...arriving];
    const similar = new Map([...unknown].slice(0, maxCompared).map((name) => [name, nearestOf(name, known)]));
    return named
      .filter(({ name }) => unknown.has(name))
      .slice(0, maxWarnings)
      .map(({ path, name }) => {
        const nearest = similar.get(name) ?? null;
        const seen = kind === 'event' ? 'tracked an event with the name' : 'had a contact with the attribute';
        const hint = nearest === null ? '' : ` Did you mean ${nearest}?`;
        return { path, code: `unknown_${kind}`, message: `The account has never ${seen} ${name}.${hint}`, nearest };
      });
  }

  return async function findWarnings(accountId: AccountId, definition: Rule | null): Promise<Warning[]> {
    const named = definition === null ? [] : namesIn(definition);
    const found = await Promise.all(
      (['event', 'attribute'] as const).map((kind) =>
        warningsOf(
          accountId,
          kind,
          named.filter((one) => one.kind === kind),
        ),
      ),
    );
    return found.flat().slice(0, maxWarnings);
  };
}

const namesIn = (definition: Rule): Named[] =>
  leavesOf(definition, '/definition').flatMap(({ leaf, path }): Named[] => {
    if ('event' in leaf) return [{ path: `${path}/event`, kind: 'event', name: leaf.event }];
    if ('sequence' in leaf)
      return leaf.sequence.map((step, index) => ({
        path: `${path}/sequence/${index}/${'event' in step ? 'event' : 'not_event'}`,
        kind: 'event',
        name: eventOf(step),
      }));
    const member = 'field' in leaf ? 'field' : 'date' in leaf ? 'date' : undefined;
    const name = 'field' in leaf ? fullFieldName(leaf.field) : 'date' in leaf ? leaf.date : '';
    if (member === undefined || !name.startsWith(attributePrefix)) return [];
    return [{ path: `${path}/${member}`, kind: 'attribute', name: name.slice(attributePrefix.length) }];
  });

/** The name with the fewest different characters, if at most a third of them differ. */
function nearestOf(name: string, known: readonly string[]): string | null {
  const mayDiffer = (other: string) => Math.ceil(Math.max(name.length, other.length) / 3);
  const [nearest] = known
    .filter((other) => Math.abs(name.length - other.length) <= mayDiffer(other))
    .slice(0, maxComparisons)
    .map((other) => ({ other, differences: distance(name.toLowerCase(), other.toLowerCase()) }))
    .filter(({ other, differences }) => differences <= mayDiffer(other))
    .sort((a, b) => a.differences - b.differences);
  return nearest?.other ?? null;
}
