import fc from 'fast-check';
import { Definition } from '../src/workflows/definition.ts';
import { definitionProblems } from '../src/workflows/definition-problems.ts';
import { type Step, targetsOf } from '../src/workflows/step.ts';
import { mail } from './setting.ts';

const kinds = [
  ...(['delay', 'until', 'local', 'date', 'wait_until', 'wait_field', 'branch', 'split', 'goal'] as const),
  ...([
    'send',
    'add_tag',
    'remove_tag',
    'update_contact',
    'increment',
    'fill',
    'track_event',
    'start_workflow',
    'send_template',
    'send_transactional',
    'send_patient',
    'send_variants',
    'notify',
    'notify_contact',
    'join',
    'leave',
    'segment_branch',
    'webhook',
    'exit',
  ] as const),
  ...(['data_branch'] as const),
];

export const ordered = { type: 'event', name: 'order_placed', where: { 'properties.total': { gte: 10 } } } as const;
const anyClick = { type: 'message_clicked' } as const;
const exits = [[], [{ type: 'unsubscribed' }], [{ type: 'event', name: 'account_closed' }]] as const;
const quietHours = [null, { from: '20:00', to: '07:30', timezone: 'Asia/Kolkata' }] as const;

export const someTemplate = `template_${'0'.repeat(26)}`;
export const someUser = `user_${'0'.repeat(26)}`;
export const someSegment = `segment_${'0'.repeat(26)}`;

/** What webhooks call, and which workflow a step starts. */
type Targets = { url: string; workflowId: string };
const nowhere: Targets = { url: 'https://example.com/', workflowId: `workflow_${'0'.repeat(26)}` };

/**
 * Definitions that the API accepts. Without loops, every step leads only to later steps; with loops, steps also lead back
 * if a lasting delay is on the path. Unreachable steps are removed.
 */
export const arbitraryDefinition = ({ loops, ...targets }: { loops: boolean } & Partial<Targets>): fc.Arbitrary<Definition> =>
  fc
    .record({
      steps: fc.array(fc.record({ kind: fc.constantFrom(...kinds), targets: fc.array(fc.nat(9), { minLength: 3, maxLength: 3 }) }), {
        minLength: 1,
        maxLength: 8,
      }),
      on_error: fc.constantFrom('continue', 'exit'),
      exit_when: fc.constantFrom(...exits),
      quiet_hours: fc.constantFrom(...quietHours),
      max_concurrent: fc.constantFrom(null, 1, 5),
      priority: fc.constantFrom('normal', 'high'),
    })
    .map(({ steps: drawn, ...rest }) => {
      const steps = drawn.map(({ kind, targets: drawnTargets }, index) =>
        stepOf(
          kind,
          `s${index}`,
          drawnTargets
            .map((target) => (loops && kind === 'delay' ? target % drawn.length : index + 1 + (target % 3)))
            .map((target) => (target < drawn.length ? `s${target}` : null)),
          { ...nowhere, ...targets },
        ),
      );
      return Definition.parse({ trigger: { type: 'manual' }, steps: reachable(Definition.shape.steps.parse(steps)), entry: {}, ...rest });
    })
    .filter(({ steps }) => definitionProblems(steps, { allowPrivate: true }).length === 0);

function stepOf(
  kind: (typeof kinds)[number],
  id: string,
  [next = null, second = null, third = null]: (string | null)[],
  { url, workflowId }: Targets,
) {
  switch (kind) {
    case 'delay':
      return { id, type: 'delay', for: 'PT2H', next };
    case 'until':
      return { id, type: 'delay', until: '2026-01-02T00:00:00Z', next };
    case 'local':
      return { id, type: 'delay', until_local: { time: '09:00', weekdays: ['mon', 'thu'] }, next };
    case 'date':
      return { id, type: 'delay', until_date: { field: 'attributes.renewal', offset: '-P1D', time: '08:15' }, next };
    case 'wait_until':
      return { id, type: 'wait_until', any: [ordered, anyClick], timeout: 'PT5H', next, on_timeout: second };
    case 'wait_field': {
      const any = [{ type: 'field', when: { field: 'tags', op: 'contains', value: 'x' } }, ordered];
      return { id, type: 'wait_until', any, timeout: 'P1D', next, on_timeout: second };
    }
    case 'split':
      return { id, type: 'split', paths: [next, second, third].map((to, index) => ({ weight: index + 1, to })) };
    case 'goal':
      return {
        id,
        type: 'goal',
        any: [{ type: 'event', name: 'order_placed', where: { 'properties.total': { gte: 1_000 } } }],
        within: 'P2D',
        next,
      };
    case 'branch': {
      const branches = [next, second].flatMap((to) => (to === null ? [] : [{ when: { field: 'tags', op: 'exists' }, to }]));
      return branches.length === 0 ? { id, type: 'exit' } : { id, type: 'branch', branches, else: third };
    }
    case 'send':
      return { id, ...mail, next };
    case 'send_template':
      return { id, type: 'send', template_id: someTemplate, from: mail.from, next };
    case 'send_transactional':
      return { id, ...mail, category: 'transactional', next };
    case 'send_patient':
      return { id, ...mail, when_capped: 'wait', next };
    case 'send_variants': {
      const variants = [
        { name: 'A.1', weight: 30 },
        { name: 'B', weight: 70, subject: 'Hello' },
      ];
      return { id, ...mail, variants, next };
    }
    case 'update_contact':
      return { id, type: 'update_contact', set: { company: 'Acme' }, next };
    case 'increment':
      return { id, type: 'update_contact', increment: { 'attributes.points': 3 }, next };
    case 'fill':
      return { id, type: 'update_contact', set: { job_title: '{{ contact.attributes.points }} of {{ data.plan }}' }, next };
    case 'track_event':
      return { id, type: 'track_event', event: 'scored', properties: { plan: '{{ data.plan }}' }, next };
    case 'data_branch': {
      const branches = [next, second].flatMap((to) => (to === null ? [] : [{ data: { 'data.plan': 'pro' }, to }]));
      return branches.length === 0 ? { id, type: 'exit' } : { id, type: 'branch', branches, else: third };
    }
    case 'notify':
      return { id, type: 'notify', user_id: someUser, subject: 'Plan {{ data.plan }}', text: '{{ data.plan }}', next };
    case 'notify_contact':
      return { id, type: 'notify', user_id: someUser, subject: 'Look', text: 'Points: {{ contact.attributes.points }}', next };
    case 'join':
      return { id, type: 'add_to_segment', segment_id: someSegment, next };
    case 'leave':
      return { id, type: 'remove_from_segment', segment_id: someSegment, next };
    case 'segment_branch': {
      const branches = next === null ? [] : [{ when: { segment: someSegment }, to: next }];
      return branches.length === 0 ? { id, type: 'exit' } : { id, type: 'branch', branches, else: third };
    }
    case 'webhook':
      return { id, type: 'webhook', url, capture: { plan: '/plan' }, next };
    case 'start_workflow':
      return { id, type: 'start_workflow', workflow_id: workflowId, data: { plan: '{{ data.plan }}' }, next };
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
