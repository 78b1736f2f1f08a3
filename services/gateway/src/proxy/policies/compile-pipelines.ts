import { z } from 'zod';
import { type PathGroup, pathGroups } from '../routes/path-groups.ts';
import type { Policies, Policy, Step } from './policy.ts';

/** A pipeline of `gateway.config.yml`. */
export type Pipeline = {
  name: string;
  pathGroup: PathGroup;
  /** Undefined if a policy is not ours: the pipeline then runs through Express. */
  steps: readonly Step[] | undefined;
};

/** What must come before `forward` under /v2. */
const guards = ['authenticate', 'check-address', 'find-route', 'authorize', 'daily-quota'];

/** The policies after which a request is out of the gateway's hands: ours, and express-gateway's own. */
const forwards = ['forward', 'proxy'];

const Use = z.strictObject({
  action: z.record(z.string(), z.unknown()).default({}),
  condition: z.undefined('A condition may resolve late, and the policy is then skipped.').optional(),
});

const Uses = z.preprocess((uses) => [uses ?? {}].flat(), z.array(Use).min(1));

const Listed = z
  .record(z.string(), Uses)
  .refine((entry) => Object.keys(entry).length === 1, 'Name one policy here; express-gateway ignores all but the first.');

const Config = z.object({
  pipelines: z.record(
    z.string(),
    z.object({ apiEndpoints: z.tuple([z.enum(pathGroups)], 'Name one of apiEndpoints in each pipeline.'), policies: z.array(Listed) }),
  ),
});

/**
 * The pipeline of each group of paths, with its steps as the file lists them. Throws if a group has no pipeline, an option is wrong,
 * or a policy lacks one that must come before it: under /v2, nothing is forwarded without all guards.
 */
export function compilePipelines(config: unknown, policies: Policies): Record<PathGroup, Pipeline> {
  const { success, data, error } = Config.safeParse(config);
  if (!success) throw new Error(`gateway.config.yml: ${z.prettifyError(error)}`);
  const pipelines = Object.entries(data.pipelines).map(([name, pipeline]): Pipeline => {
    const [pathGroup] = pipeline.apiEndpoints;
    const uses = pipeline.policies
      .flatMap(Object.entries<z.output<typeof Uses>>)
      .flatMap(([policy, all]) => all.map((use) => ({ policy, ...use })));
    const where = `gateway.config.yml, pipeline ${name}`;
    const order = uses.map(({ policy }) => policy);
    checkOrder(where, pathGroup, order, policies);
    const steps = uses.flatMap(({ policy, action }) => stepOf(`${where}, ${policy}`, policies[policy], action));
    return { name, pathGroup, steps: steps.length === uses.length ? steps : undefined };
  });
  const of = (pathGroup: PathGroup) => {
    const [pipeline, another] = pipelines.filter((candidate) => candidate.pathGroup === pathGroup);
    if (!pipeline || another) throw new Error(`gateway.config.yml: apiEndpoints.${pathGroup} must have one pipeline.`);
    return pipeline;
  };
  return { api: of('api'), public: of('public'), tracking: of('tracking'), dashboard: of('dashboard') };
}

function stepOf(where: string, policy: Policy | undefined, options: object): Step[] {
  try {
    return policy ? [policy.step(options)] : [];
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new Error(`${where}: ${z.prettifyError(error)}`);
  }
}

function checkOrder(where: string, pathGroup: PathGroup, order: readonly string[], policies: Policies) {
  for (const [index, policy] of order.entries()) {
    const before = order.slice(0, index);
    const ends = forwards.includes(policy);
    const needed = new Set([...(policies[policy]?.needs ?? []), ...(ends && pathGroup === 'api' ? guards : [])]);
    const missing = [...needed].filter((name) => !before.includes(name));
    if (missing.length > 0) throw new Error(`${where}: ${policy} must come after ${missing.join(', ')}.`);
    if (policies[policy] && before.includes(policy)) throw new Error(`${where}: ${policy} is listed twice.`);
    if (ends && index < order.length - 1)
      throw new Error(`${where}: ${order[index + 1]} would never run, because ${policy} ends the request.`);
  }
}
