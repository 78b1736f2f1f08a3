const words = (text: string) => text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

export const pascalCase = (text: string) => words(text).map(capital).join('');
export const camelCase = (text: string) =>
  words(text)
    .map((word, index) => (index === 0 ? word.charAt(0).toLowerCase() + word.slice(1) : capital(word)))
    .join('');

const singular = (noun: string) => noun.replace(/ies$/, 'y').replace(/(?<!s)s$/, '');

export type Unnamed = { operationId: string; tag: string; path: string; paginated: boolean };
export type Name = { namespace: string[]; method: string };

const segmentsOf = (path: string) =>
  path
    .replace(/^\/v2\//, '')
    .split('/')
    .filter((segment) => segment !== '');
const isParameter = (segment: string) => segment.startsWith('{');

/** The literal segments of a path before its first parameter. */
function literalsOf({ path, tag }: Unnamed): string[] {
  if (!path.startsWith('/v2/')) return [camelCase(tag) || 'other'];
  const segments = segmentsOf(path);
  const first = segments.findIndex(isParameter);
  return (first < 0 ? segments : segments.slice(0, first)).map(camelCase);
}

/** The nouns by which an operationId can name a namespace: `WorkflowRun`, `WorkflowRuns`, `Run`, `Runs`. Longest first. */
function nounsOf(namespace: readonly string[]): string[] {
  const nouns: string[] = [];
  for (let from = 0; from < namespace.length; from++) {
    const names = namespace.slice(from).map(capital);
    const before = names.slice(0, -1).map(singular).join('');
    const noun = names.at(-1) ?? '';
    nouns.push(before + noun, before + singular(noun));
  }
  return nouns.sort((a, b) => b.length - a.length);
}

/** `listSegmentContacts` in `segments` is `contacts`; `cancelImport` in `contacts.imports` is `cancel`. */
function methodOf(operationId: string, namespace: readonly string[]): string {
  const verb = /^[a-z]+/.exec(operationId)?.[0] ?? operationId;
  let rest = operationId.slice(verb.length);
  for (const noun of nounsOf(namespace)) {
    const without = rest.replace(new RegExp(`(?<![A-Z])${noun}(?![a-z])`), '');
    if (without === rest) continue;
    rest = without;
    break;
  }
  if (rest === '') return verb;
  return verb === 'get' || verb === 'list' ? rest.charAt(0).toLowerCase() + rest.slice(1) : verb + rest;
}

/**
 * The namespace and the method of every operation, from its path and operationId alone, so that new operations need no entry
 * anywhere. A literal path with a single operation is a method of its parent (`contacts.search`); any other is a namespace.
 */
export function nameOperations(operations: readonly Unnamed[]): Map<string, Name> {
  const literals = new Map(operations.map((operation) => [operation.operationId, literalsOf(operation)]));
  const prefixes = [...literals.values()].map((names) => names.join('.'));
  const isAlone = (operation: Unnamed, prefix: string) =>
    operation.path.startsWith('/v2/') &&
    !operation.path.includes('{') &&
    prefixes.filter((other) => other === prefix || other.startsWith(`${prefix}.`)).length === 1 &&
    !(operation.paginated && prefix.endsWith('s'));

  const usual = ({ operationId }: Unnamed): Name => {
    const namespace = literals.get(operationId) ?? [];
    return { namespace, method: methodOf(operationId, namespace) };
  };
  const keyOf = ({ namespace, method }: Name) => [...namespace, method].join('.');
  const lonely = operations.filter((operation) => isAlone(operation, (literals.get(operation.operationId) ?? []).join('.')));
  const others = new Set(operations.filter((operation) => !lonely.includes(operation)).map((operation) => keyOf(usual(operation))));
  const names = new Map(operations.map((operation) => [operation.operationId, usual(operation)]));
  for (const { operationId } of lonely) {
    const namespace = literals.get(operationId)?.slice(0, -1) ?? [];
    const short = { namespace, method: literals.get(operationId)?.at(-1) ?? operationId };
    // `workflows.simulate(id)` exists, so `/v2/workflows/simulate` is `workflows.simulateDraft()`.
    names.set(operationId, others.has(keyOf(short)) ? { namespace, method: methodOf(operationId, namespace) } : short);
  }

  const namespaces = new Set(
    [...names.values()].flatMap(({ namespace }) => namespace.map((_, index) => namespace.slice(0, index + 1).join('.'))),
  );
  const taken = new Set<string>();
  for (const [operationId, { namespace, method }] of names) {
    const inside = [...namespace, method];
    const moved = namespaces.has(inside.join('.')) ? { namespace: inside, method: methodOf(operationId, inside) } : { namespace, method };
    const isTaken = taken.has([...moved.namespace, moved.method].join('.'));
    const name = isTaken ? { namespace: moved.namespace, method: operationId } : moved;
    taken.add([...name.namespace, name.method].join('.'));
    names.set(operationId, name);
  }
  return names;
}
