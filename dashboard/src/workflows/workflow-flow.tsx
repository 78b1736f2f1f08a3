import {
  IconActivity,
  IconArrowDown,
  IconArrowsSplit,
  IconBell,
  IconClock,
  IconDoorExit,
  IconEdit,
  IconGitBranch,
  IconHourglass,
  IconMail,
  IconPlayerPlay,
  IconTag,
  IconTarget,
  IconUserMinus,
  IconUserPlus,
  IconWebhook,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { count } from '../numbers/format-number.ts';
import { RuleTree } from '../segments/rule-tree.tsx';
import { type Flow, type FlowPart, flowOf } from './flow.ts';
import { pathWords, stepName, stepWords, triggerWords } from './step-words.ts';
import classes from './workflow-flow.module.css';
import type { useWorkflowAnalytics, Workflow, WorkflowStep } from './workflows.ts';

type StepCounts = NonNullable<ReturnType<typeof useWorkflowAnalytics>['data']>['steps'][number];
type Look = { named: (id: string) => string; counts: ReadonlyMap<string, StepCounts> };

const icons: Record<WorkflowStep['type'], ComponentType<{ size: number; 'aria-hidden': true }>> = {
  delay: IconClock,
  branch: IconGitBranch,
  send: IconMail,
  update_contact: IconEdit,
  add_tag: IconTag,
  remove_tag: IconTag,
  add_to_segment: IconUserPlus,
  remove_from_segment: IconUserMinus,
  notify: IconBell,
  webhook: IconWebhook,
  wait_until: IconHourglass,
  split: IconArrowsSplit,
  goal: IconTarget,
  start_workflow: IconPlayerPlay,
  track_event: IconActivity,
  exit: IconDoorExit,
};

/** The workflow from its trigger to its ends, with the number of contacts at each step. */
export function WorkflowFlow({ workflow, ...look }: { workflow: Pick<Workflow, 'trigger' | 'steps'> } & Look) {
  return (
    <div className={classes.flow}>
      <p className={classes.trigger}>{triggerWords(workflow.trigger, look.named)}</p>
      <Steps flow={flowOf(workflow.steps)} look={look} />
    </div>
  );
}

const Steps = ({ flow, look }: { flow: Flow<WorkflowStep>; look: Look }) => (
  <ol className={classes.steps}>
    {flow.map((part) => (
      <li key={`${part.kind} ${part.step.id}`} className={classes.part}>
        <IconArrowDown size={16} aria-hidden className={classes.arrow} />
        <Part part={part} look={look} />
      </li>
    ))}
  </ol>
);

function Part({ part, look }: { part: FlowPart<WorkflowStep>; look: Look }) {
  const { step } = part;
  if (part.kind === 'goes-on-at') return <p className={classes.continued}>Continues at “{stepName(step)}”</p>;
  const Icon = icons[step.type];
  const counts = look.counts.get(step.id);
  return (
    <>
      <div className={classes.step}>
        <span className={classes.icon}>
          <Icon size={18} aria-hidden />
        </span>
        <div>
          <p className={classes.name}>{stepName(step)}</p>
          <p className={classes.words}>{stepWords(step, look.named)}</p>
        </div>
        {counts && (
          <p className={classes.counts}>
            {counts.waiting > 0 && <span>{count(counts.waiting)} waiting</span>}
            <span>{count(counts.done)} done</span>
            {counts.skipped > 0 && <span>{count(counts.skipped)} skipped</span>}
          </p>
        )}
      </div>
      {part.paths.length > 0 && (
        <ul className={classes.paths} aria-label={`Paths of ${stepName(step)}`}>
          {part.paths.map(({ flow }, index) => {
            const branch = step.type === 'branch' ? step.branches[index] : undefined;
            const when = branch?.when;
            const words = branch?.data ? 'When the captured data matches' : pathWords(step, index);
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: branches keep the order in which they are evaluated.
              <li key={index} className={classes.path}>
                <div className={classes.when}>{when ? <RuleTree rule={when} named={look.named} /> : words}</div>
                {flow.length > 0 ? (
                  <Steps flow={flow} look={look} />
                ) : (
                  <p className={classes.continued}>{continues(step, index) ? 'Continues below' : 'Ends'}</p>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}

/** Whether the path of a step at this index leads to another step. */
function continues(step: WorkflowStep, index: number): boolean {
  if (step.type === 'branch') return index < step.branches.length || Boolean(step.else);
  if (step.type === 'split') return Boolean(step.paths[index]?.to);
  return step.type === 'wait_until' && Boolean(index === 0 ? step.next : step.on_timeout);
}
