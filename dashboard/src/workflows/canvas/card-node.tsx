import { Text } from '@mantine/core';
import { IconAlertCircle, IconBolt, IconPlayerPlay } from '@tabler/icons-react';
import type { NodeProps } from '@xyflow/react';
import { moneyOf } from '../../campaigns/buyer-list.tsx';
import type { NameOf } from '../../names/names.ts';
import { count, counted, roughDuration } from '../../numbers/format-number.ts';
import type { Definition } from '../definition.ts';
import { goalTimeLabel, pathLabel, stepLabel, stepName } from '../step-labels.ts';
import { triggerLabel } from '../trigger-labels.ts';
import type { EmailCounts, StepCounts, WorkflowStep } from '../workflows.ts';
import { cardId } from './card-id.ts';
import classes from './card-node.module.css';
import type { Problem } from './problems.ts';
import { stepKinds } from './step-kinds.ts';

export type Mark = 'added' | 'changed' | 'removed';

/** What a card shows: a step, or the trigger if there is no step. */
export type Card = {
  step: WorkflowStep | undefined;
  trigger: Definition['trigger'];
  named: NameOf;
  counts: StepCounts | undefined;
  emails: EmailCounts | undefined;
  /** Why it was skipped. */
  skipped: string | undefined;
  isCounted: boolean;
  entered: number | undefined;
  problems: readonly Problem[];
  /** Whether problems are errors; otherwise they say what is still to do. */
  isStrict: boolean;
  isLit: boolean;
  /** Whether the run is at this step. */
  isCurrent: boolean;
  mark: Mark | undefined;
  isSelected: boolean;
  /** Whether Tab leads to it; arrow keys lead to the others. */
  isReachable: boolean;
  onSelect: () => void;
};

export function CardNode({ data }: NodeProps & { data: Card }) {
  const { step, trigger, named, problems, isStrict, isLit, isCurrent, mark, isSelected, onSelect } = data;
  const Icon = step ? stepKinds[step.type].icon : trigger.type === 'manual' ? IconPlayerPlay : IconBolt;
  const [problem] = problems;
  const means = step ? stepLabel(step, named) : triggerLabel(trigger, named);
  return (
    <button
      type="button"
      className={classes.card}
      data-card={cardId(step?.id ?? null)}
      data-kind={step?.type ?? 'trigger'}
      data-selected={isSelected || undefined}
      data-lit={isLit || undefined}
      data-current={isCurrent || undefined}
      aria-current={isCurrent ? 'step' : undefined}
      data-faulty={(problem && isStrict) || undefined}
      data-mark={mark}
      tabIndex={data.isReachable ? 0 : -1}
      aria-pressed={isSelected}
      onClick={onSelect}
    >
      <span className={classes.icon}>
        <Icon size={18} aria-hidden />
      </span>
      <span className={classes.words}>
        <span className={classes.name}>
          {step ? stepName(step) : 'Trigger'}
          {mark && <span className={classes.mark}> {mark}</span>}
        </span>
        {problem ? (
          <span className={isStrict ? classes.problem : classes.means}>
            {problem.message}
            {isStrict && problems.length > 1 && ` (and ${problems.length - 1} more)`}
          </span>
        ) : (
          <span className={classes.means} title={means}>
            {means}
          </span>
        )}
      </span>
      {problem && isStrict && <IconAlertCircle size={16} aria-label="Problem" className={classes.alert} />}
      {data.isCounted && <Counts card={data} />}
    </button>
  );
}

function Counts({ card: { step, counts, emails, skipped, entered } }: { card: Card }) {
  if (!step) return <span className={classes.counts}>{entered !== undefined && <span>{count(entered)} entered</span>}</span>;
  return (
    <>
      <StepNumbers counts={counts} skipped={skipped} />
      {skipped && counts && counts.skipped > 0 && (
        <span className={classes.skipped} title={skipped}>
          {count(counts.skipped)} skipped: {skipped}
        </span>
      )}
      {emails && <EmailNumbers emails={emails} />}
    </>
  );
}

const StepNumbers = ({ counts, skipped }: Pick<Card, 'counts' | 'skipped'>) => (
  <span className={classes.counts}>
    {counts && counts.waiting > 0 && <span className={classes.waiting}>{count(counts.waiting)} waiting</span>}
    {counts && <span>{count(counts.done)} done</span>}
    {counts && counts.skipped > 0 && !skipped && <span>{count(counts.skipped)} skipped</span>}
    {counts && counts.converted > 0 && (
      <span title={goalTimeLabel(counts.seconds_to_goal)}>
        {count(counts.converted)} converted{counts.seconds_to_goal && `, median ${roughDuration(counts.seconds_to_goal.p50)}`}
      </span>
    )}
    {counts && counts.failed > 0 && <span className={classes.failed}>{count(counts.failed)} failed</span>}
  </span>
);

const EmailNumbers = ({ emails }: { emails: EmailCounts }) => (
  <span className={classes.emailed}>
    <span>{count(emails.accepted)} sent</span>
    <span>{count(emails.opened.unique.human)} opened</span>
    <span>{count(emails.clicked.unique.human)} clicked</span>
    {emails.conversions > 0 && <span className={classes.sold}>{moneyOf(emails.revenue) || counted(emails.conversions, 'order')}</span>}
  </span>
);

type Path = { step: WorkflowStep | undefined; path: number; named: NameOf; isLit: boolean };

export function PathNode({ data: { step, path, named, isLit } }: NodeProps & { data: Path }) {
  const words = step ? pathLabel(step, path, named) : '';
  return (
    <Text component="div" size="xs" className={classes.path} data-lit={isLit || undefined} title={words}>
      {words}
    </Text>
  );
}

export const EndNode = () => (
  <Text component="div" size="xs" className={classes.end}>
    End
  </Text>
);
