import { ActionIcon, Button } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconPlus } from '@tabler/icons-react';
import { useRef } from 'react';
import { DurationField } from '../form/duration-field.tsx';
import { errorAt, errorsBelow, type RuleErrors } from './rule-errors.ts';
import { maxSteps, minSteps, moved, newStep, type SequenceDraft } from './sequence-draft.ts';
import classes from './sequence-editor.module.css';
import { SequenceStep } from './sequence-step.tsx';
import { WindowField } from './window-field.tsx';

type Props = { condition: SequenceDraft; errors: RuleErrors; onChange: (condition: SequenceDraft) => void };

/** A condition on events in order, and on events that must not follow. */
export function SequenceEditor({ condition, errors, onChange }: Props) {
  const { events, absent, within, window } = condition;
  const list = useRef<HTMLOListElement>(null);
  const set = (change: Partial<SequenceDraft>) => onChange({ ...condition, ...change });
  const count = events.length + absent.length;
  const move = (from: number, to: number) => {
    set({ events: moved(events, from, to) });
    focusMoveButton(list.current?.children[to], to < from ? ['Move up', 'Move down'] : ['Move down', 'Move up']);
  };

  return (
    <fieldset className={classes.sequence}>
      <legend className={classes.legend}>Events in order</legend>
      <ol ref={list} className={classes.steps}>
        {events.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no identity except their position.
          <li key={index}>
            <SequenceStep
              name={`Event ${index + 1}`}
              verb={index === 0 ? 'Did' : 'Then did'}
              step={step}
              errors={errorsBelow(errors, `/sequence/${index}`)}
              isRemovable={events.length > 1 && count > minSteps}
              onChange={(change) => set({ events: events.with(index, change) })}
              onRemove={() => set({ events: events.toSpliced(index, 1) })}
            >
              <ActionIcon variant="subtle" color="gray" aria-label="Move up" disabled={index === 0} onClick={() => move(index, index - 1)}>
                <IconArrowUp size={16} aria-hidden />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label="Move down"
                disabled={index === events.length - 1}
                onClick={() => move(index, index + 1)}
              >
                <IconArrowDown size={16} aria-hidden />
              </ActionIcon>
            </SequenceStep>
          </li>
        ))}
      </ol>
      {absent.length > 0 && (
        <ul className={classes.steps}>
          {absent.map((step, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: steps have no identity except their position.
            <li key={index}>
              <SequenceStep
                name={index === 0 ? 'Event that must not follow' : `Event that must not follow ${index + 1}`}
                verb="Then did not"
                step={step}
                errors={errorsBelow(errors, `/sequence/${events.length + index}`)}
                isRemovable={count > minSteps}
                onChange={(change) => set({ absent: absent.with(index, change) })}
                onRemove={() => set({ absent: absent.toSpliced(index, 1) })}
              />
            </li>
          ))}
        </ul>
      )}
      {count < maxSteps && (
        <div>
          <AddStep label="Add event" onClick={() => set({ events: [...events, newStep()] })} />
          <AddStep label="Add event that must not follow" onClick={() => set({ absent: [...absent, newStep()] })} />
        </div>
      )}
      <div className={classes.windows}>
        <DurationField
          label="Within this time after the first event"
          value={within}
          onChange={(chosen) => set({ within: chosen })}
          error={errorAt(errors, '/within')}
        />
        <WindowField
          label="First event in the last"
          isLabelVisible
          isOptional
          value={window}
          onChange={(chosen) => set({ window: chosen })}
          error={errorAt(errors, '/in_last')}
        />
      </div>
    </fieldset>
  );
}

const AddStep = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <Button size="compact-xs" variant="subtle" leftSection={<IconPlus size={14} aria-hidden />} onClick={onClick}>
    {label}
  </Button>
);

/** Focuses the first button that is enabled, so that the focus follows a step that moved. */
function focusMoveButton(step: Element | undefined, labels: readonly string[]) {
  const buttons = labels.map((label) => step?.querySelector<HTMLButtonElement>(`button[aria-label="${label}"]:enabled`));
  buttons.find((button) => button)?.focus();
}
