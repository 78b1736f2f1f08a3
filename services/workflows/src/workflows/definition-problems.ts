import { PlannedMoment } from '@mp/contracts/moment';
import { isOneLine, oneLine } from '@mp/contracts/text';
import { urlProblem } from '@mp/guarded-requests/url-problem';
import { type Captured, isCapturedResponse, isKnownField, notCaptured } from '@mp/templates/fields';
import { capturedBefore } from './captured-before.ts';
import { placeholdersIn, readsContact } from './placeholders.ts';
import type { Problem } from './problem.ts';
import { isLasting, type Step, targetFieldsOf, targetsOf } from './step.ts';
import { variantProblems } from './variant-problems.ts';

/** The problems between steps that are each valid by themselves. Every problem names its step and field. */
export function definitionProblems(steps: readonly Step[], { allowPrivate = false } = {}): Problem[] {
  const repeated = steps.flatMap(({ id }, index) =>
    steps.findIndex((step) => step.id === id) < index
      ? [problem(index, 'duplicate_step', `More than one step has the id ${id}.`, 'id')]
      : [],
  );
  const dangling = steps.flatMap((step, index) =>
    targetFieldsOf(step)
      .filter(({ to }) => !steps.some(({ id }) => id === to))
      .map(({ field, to }) => problem(index, 'unknown_step', `The step ${step.id} leads to ${to}, which does not exist.`, ...field)),
  );
  const captured = capturedBefore(steps);
  const texts = steps.flatMap((step, index) => [
    ...placeholderProblems(step, index),
    ...responseProblems(step, index, captured(step.id)),
    ...momentProblems(step, index),
    ...lineProblems(step, index),
    ...lookUpProblems(step, index),
    ...(step.type === 'send' ? variantProblems(step) : []).map((one) => ({ ...one, path: [index, ...one.path] })),
  ]);
  const hosts = steps.flatMap((step, index) => {
    const wrong = step.type === 'webhook' ? urlProblem(step.url, { allowPrivate }) : undefined;
    return wrong === undefined ? [] : [problem(index, 'invalid_url', `The step ${step.id}: ${wrong}.`, 'url')];
  });
  const broken = [...repeated, ...dangling, ...texts, ...hosts];
  return broken.length > 0 ? broken : [...unreachable(steps), ...loops(steps)];
}

const problem = (index: number, code: string, message: string, ...field: (string | number)[]): Problem => ({
  path: [index, ...field],
  code,
  message,
});

function placeholderProblems(step: Step, index: number): Problem[] {
  return Object.entries(filledParts(step)).flatMap(([member, value]) => {
    const bad = placeholdersIn(value).find((name) => !isKnownPlaceholder(name));
    if (bad === undefined) return [];
    const message = `The step ${step.id} uses {{ ${bad} }}; it can use contact.<field>, run.id, workflow.id, data.<name>, such as data.properties.total, and responses.<step>.<name>.`;
    return [problem(index, 'unknown_field', message, member)];
  });
}

/** Placeholders and conditions on responses that no earlier step captures. */
function responseProblems(step: Step, index: number, captured: Captured): Problem[] {
  const filled = Object.entries(filledParts(step)).map(([member, value]) => ({ field: [member], names: placeholdersIn(value) }));
  const conditions =
    step.type === 'branch' ? step.branches.map(({ data = {} }, at) => ({ field: ['branches', at, 'data'], names: Object.keys(data) })) : [];
  return [...filled, ...conditions].flatMap(({ field, names }) => {
    const read = names.filter((name) => name.startsWith('responses.'));
    const bad = read.find((name) => !isCapturedResponse(name.split('.'), captured));
    return bad === undefined ? [] : [problem(index, 'unknown_field', `The step ${step.id}: ${notCaptured(bad, captured)}`, ...field)];
  });
}

/** These steps are taken without looking up the contact. */
function lookUpProblems(step: Step, index: number): Problem[] {
  if (step.type !== 'start_workflow' && step.type !== 'track_event') return [];
  return Object.entries(filledParts(step)).flatMap(([member, value]) =>
    readsContact(value)
      ? [
          problem(
            index,
            'unknown_field',
            `The step ${step.id} can read only contact.id; to use other contact fields, use an update_contact or webhook step instead.`,
            member,
          ),
        ]
      : [],
  );
}

/** The parts of a step whose placeholders are filled. */
function filledParts(step: Step): Record<string, unknown> {
  if (step.type === 'webhook') return { body: step.body ?? null };
  if (step.type === 'update_contact') return { set: step.set };
  if (step.type === 'track_event') return { properties: step.properties };
  if (step.type === 'notify') return { subject: step.subject, text: step.text };
  return step.type === 'start_workflow' ? { data: step.data } : {};
}

const path = /^(data|responses)(\.[\p{L}\p{N}_$-]+){1,10}$/u;

function isKnownPlaceholder(name: string): boolean {
  if (path.test(name) || name === 'run.id' || name === 'workflow.id') return true;
  return /^[\p{L}\p{N}_$. -]+$/u.test(name) && isKnownField(name.split('.')) && name.startsWith('contact.');
}

/** Not part of the schema, so that definitions stored before this check can still be read. */
function momentProblems(step: Step, index: number): Problem[] {
  if (step.type !== 'delay' || step.until === undefined) return [];
  const fault = PlannedMoment.safeParse(step.until).error?.issues[0]?.message;
  return fault === undefined ? [] : [problem(index, 'out_of_range', `The step ${step.id}: ${fault}.`, 'until')];
}

/** Checks the single-line fields of a step; not part of the schema for the same reason. */
function lineProblems(step: Step, index: number): Problem[] {
  const lines = {
    name: step.name,
    ...(step.type === 'send' && { subject: step.subject, 'from/name': step.from.name, ...variantLines(step.variants) }),
    ...(step.type === 'notify' && { subject: step.subject }),
    ...((step.type === 'add_tag' || step.type === 'remove_tag') && { tag: step.tag }),
  };
  return Object.entries(lines).flatMap(([member, line]) =>
    line == null || isOneLine(line) ? [] : [problem(index, 'custom', `The step ${step.id}: ${oneLine}.`, member)],
  );
}

const variantLines = (variants: (Step & { type: 'send' })['variants'] = []) =>
  Object.fromEntries(
    variants.flatMap(({ name, subject }, index) => [
      [`variants/${index}/name`, name],
      [`variants/${index}/subject`, subject],
    ]),
  );

function unreachable(steps: readonly Step[]): Problem[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const reached = new Set<string>();
  for (let pending = steps.slice(0, 1); pending.length > 0; ) {
    const step = pending.pop();
    if (!step || reached.has(step.id)) continue;
    reached.add(step.id);
    pending.push(...targetsOf(step).flatMap((target) => byId.get(target) ?? []));
  }
  return steps.flatMap(({ id }, index) =>
    reached.has(id) ? [] : [problem(index, 'unreachable_step', `No step leads to ${id}; runs start at ${steps[0]?.id}.`, 'id')],
  );
}

/** A loop must contain a delay that has `for` or `until_local`; otherwise a run would never stop. */
function loops(steps: readonly Step[]): Problem[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const safe = new Set<string>();

  /** Depth-first search without recursion; `open` is the path from the root to the current step. */
  for (const [index, root] of steps.entries()) {
    if (isLasting(root)) continue;
    const open: { id: string; left: string[] }[] = [{ id: root.id, left: targetsOf(root) }];
    while (open.length > 0) {
      const top = open.at(-1);
      const target = top?.left.pop();
      if (!top || target === undefined) {
        if (top) safe.add(top.id);
        open.pop();
        continue;
      }
      const step = byId.get(target);
      if (!step || isLasting(step) || safe.has(target)) continue;
      if (open.some(({ id }) => id === target)) {
        const at = steps.findIndex(({ id }) => id === target);
        return [
          problem(
            at === -1 ? index : at,
            'endless_loop',
            `The steps from ${target} lead back to it without a delay that has \`for\` or \`until_local\`.`,
            'id',
          ),
        ];
      }
      open.push({ id: target, left: targetsOf(step) });
    }
  }
  return [];
}
