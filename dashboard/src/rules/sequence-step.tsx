import { ActionIcon } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { EventField } from '../names/event-field.tsx';
import fields from './condition-editor.module.css';
import { errorAt, errorsBelow, type RuleErrors } from './rule-errors.ts';
import type { StepDraft } from './sequence-draft.ts';
import classes from './sequence-editor.module.css';
import { WhereEditor } from './where-editor.tsx';

type Props = {
  /** Distinguishes the step from the others. */
  name: string;
  /** What precedes the event in the sentence that the steps form. */
  verb: string;
  step: StepDraft;
  errors: RuleErrors;
  isRemovable: boolean;
  onChange: (step: StepDraft) => void;
  onRemove: () => void;
  /** The buttons that move the step. */
  children?: ReactNode;
};

/** One event of a sequence, with filters on its properties. */
export function SequenceStep({ name, verb, step, errors, isRemovable, onChange, onRemove, children }: Props) {
  const { event, where } = step;
  return (
    <fieldset className={`${fields.fields} ${classes.step}`} aria-label={name}>
      <span className={classes.verb}>{verb}</span>
      <EventField
        label="Event"
        isLabelVisible={false}
        value={event}
        onChange={(chosen) => onChange({ ...step, event: chosen })}
        error={errorAt(errors, '/event') ?? errorAt(errors, '/not_event')}
      />
      {children}
      <ActionIcon variant="subtle" color="gray" aria-label="Remove event" disabled={!isRemovable} onClick={onRemove}>
        <IconX size={16} aria-hidden />
      </ActionIcon>
      <WhereEditor
        event={event}
        where={where}
        errors={errorsBelow(errors, '/where')}
        onChange={(filters) => onChange({ ...step, where: filters })}
      />
    </fieldset>
  );
}
