import fc from 'fast-check';
import { Definition } from '../src/workflows/definition.ts';
import { definitionProblems } from '../src/workflows/definition-problems.ts';
import { type Step, targetsOf } from '../src/workflows/step.ts';
import { mail } from './setting.ts';

const kinds = ['delay', 'until', 'branch', 'send', 'add_tag', 'remove_tag', 'update_contact', 'webhook', 'exit'] as const;

/**
 * Definitions that the API accepts. Without loops, every step leads only to later steps; with loops, steps also lead back
 * if a lasting delay is on the path. Unreachable steps are removed.
 */
export const arbitraryDefinition = ({ loops }: { loops: boolean }): fc.Arbitrary<Definition> =>
  fc
    .record({
      steps: fc.array(fc.record({ kind: fc.constantFrom(...kinds), targets: fc.array(fc.nat(9), { minLength: 3, maxLength: 3 }) }), {
        minLength: 1,
        maxLength: 8,
      }),
      on_error: fc.constantFrom('continue', 'exit'),
    })
    .map(({ steps: drawn, on_error }) => {
      const steps = drawn.map(({ kind, targets }, index) =>
        stepOf(
          kind,
          `s${index}`,
          targets
            .map((target) => (loops && kind === 'delay' ? target % drawn.length : index + 1 + (target % 3)))
            .map((target) => (target < drawn.length ? `s${target}` : null)),
        ),
      );
      return Definition.parse({ trigger: { type: 'manual' }, steps: reachable(Definition.shape.steps.parse(steps)), entry: {}, on_error });
    })
    .filter(({ steps }) => definitionProblems(steps).length === 0);

function stepOf(kind: (typeof kinds)[number], id: string, [next = null, second = null, third = null]: (string | null)[]) {
  switch (kind) {
    case 'delay':
      return { id, type: 'delay', for: 'PT2H', next };
    case 'until':
      return { id, type: 'delay', until: '2026-01-02T00:00:00Z', next };
    case 'branch': {
      const branches = [next, second].flatMap((to) => (to === null ? [] : [{ when: { field: 'tags', op: 'exists' }, to }]));
      return branches.length === 0 ? { id, type: 'exit' } : { id, type: 'branch', branches, else: third };
    }
    case 'send':
      return { id, ...mail, next };
    case 'update_contact':
      return { id, type: 'update_contact', set: { company: 'Acme' }, next };
    case 'webhook':
      return { id, type: 'webhook', url: 'https://example.com/', next };
    case 'exit':
      return { id, type: 'exit' };
    default:
      return { id, type: kind, tag: 'x', next };
  }
}

function reachable(steps: readonly Step[]): Step[] {
  const reached = new Set<string>();
  for (const pending = steps.slice(0, 1); pending.length > 0; ) {
    const step = pending.pop();
    if (!step || reached.has(step.id)) continue;
    reached.add(step.id);
    pending.push(...steps.filter(({ id }) => targetsOf(step).includes(id)));
  }
  return steps.filter(({ id }) => reached.has(id));
}
