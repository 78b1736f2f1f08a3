/** The part of a step that determines the next steps. */
type Linked = {
  id: string;
  type: string;
  next?: string | null;
  branches?: readonly { when?: unknown; to: string }[];
  else?: string | null;
  paths?: readonly { weight: number; to: string | null }[];
  timeout?: string;
  on_timeout?: string | null;
};

/** One way on from a step that has several. */
type Way = { when?: unknown; to: string | null };

/** The ways on from a step; undefined for one that only continues. */
function waysFrom({ branches, paths, timeout, ...step }: Linked): Way[] | undefined {
  if (branches) return [...branches.map(({ when, to }) => ({ when, to })), { to: step.else ?? null }];
  if (paths) return paths.map(({ to }) => ({ to }));
  return step.type === 'wait_until' && timeout !== undefined ? [{ to: step.next ?? null }, { to: step.on_timeout ?? null }] : undefined;
}

/** A workflow from top to bottom. Each step is drawn once; other paths to it end in a reference. */
export type Flow<Step> = FlowPart<Step>[];
export type FlowPart<Step> = { kind: 'step'; step: Step; paths: FlowPath<Step>[] } | { kind: 'goes-on-at'; step: Step };
export type FlowPath<Step> = { when: unknown; flow: Flow<Step> };

/** The flow from the first step. Where the paths of a branch meet, it continues below the branch. */
export function flowOf<Step extends Linked>(steps: readonly Step[]): Flow<Step> {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const drawn = new Set<string>();

  function from(id: string | null | undefined, until: string | undefined): Flow<Step> {
    const flow: Flow<Step> = [];
    let at = id;
    while (at && at !== until) {
      const step = byId.get(at);
      if (!step) break;
      if (drawn.has(at)) return [...flow, { kind: 'goes-on-at', step }];
      drawn.add(at);
      const ways = waysFrom(step);
      if (!ways) {
        flow.push({ kind: 'step', step, paths: [] });
        at = step.next;
        continue;
      }
      const meeting = meetingOf(ways.flatMap(({ to }) => to ?? [])) ?? until;
      flow.push({ kind: 'step', step, paths: ways.map(({ when, to }) => ({ when, flow: from(to, meeting) })) });
      at = meeting;
    }
    return flow;
  }

  /** The first step that all targets reach. */
  function meetingOf(targets: readonly string[]): string | undefined {
    const [first, ...others] = targets.map(stepsFrom);
    return others.length === 0 ? undefined : first?.find((id) => others.every((ids) => ids.includes(id)));
  }

  function stepsFrom(id: string): string[] {
    const found: string[] = [];
    const open = [id];
    for (let at = open.shift(); at !== undefined; at = open.shift()) {
      const step = byId.get(at);
      if (!step || found.includes(at)) continue;
      found.push(at);
      open.push(...[step.next, ...(waysFrom(step) ?? []).map(({ to }) => to)].filter((next) => typeof next === 'string'));
    }
    return found;
  }

  return from(steps[0]?.id, undefined);
}
