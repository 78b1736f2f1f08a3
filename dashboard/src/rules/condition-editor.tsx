import { ActionIcon, Input, Textarea } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { ActivityEditor } from './activity-editor.tsx';
import classes from './condition-editor.module.css';
import { DateEditor } from './date-editor.tsx';
import { FieldEditor } from './field-editor.tsx';
import type { ConditionDraft } from './rule-draft.ts';
import { errorAt, type RuleErrors } from './rule-errors.ts';
import { SegmentEditor } from './segment-editor.tsx';
import { SequenceEditor } from './sequence-editor.tsx';

type Props = {
  condition: ConditionDraft;
  errors: RuleErrors;
  onChange: (condition: ConditionDraft) => void;
  onRemove: () => void;
};

export function ConditionEditor({ condition, errors, onChange, onRemove }: Props) {
  return (
    <div className={classes.condition}>
      <div className={classes.fields}>
        <Fields condition={condition} errors={errors} onChange={onChange} />
        {condition.kind !== 'written' && errors.has('') && <Input.Error className={classes.error ?? ''}>{errors.get('')}</Input.Error>}
      </div>
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Remove condition" onClick={onRemove}>
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
    </div>
  );
}

function Fields({ condition, errors, onChange }: Omit<Props, 'onRemove'>) {
  if (condition.kind === 'field') return <FieldEditor condition={condition} errors={errors} onChange={onChange} />;
  if (condition.kind === 'date') return <DateEditor condition={condition} errors={errors} onChange={onChange} />;
  if (condition.kind === 'segment') return <SegmentEditor condition={condition} errors={errors} onChange={onChange} />;
  if (condition.kind === 'sequence') return <SequenceEditor condition={condition} errors={errors} onChange={onChange} />;
  if (condition.kind !== 'written') return <ActivityEditor condition={condition} errors={errors} onChange={onChange} />;
  return (
    <Textarea
      aria-label="Condition as JSON"
      placeholder='{"field": "company", "op": "eq", "value": "Example"}'
      autosize
      spellCheck={false}
      classNames={{ input: classes.written ?? '' }}
      value={condition.text}
      onChange={(event) => onChange({ ...condition, text: event.currentTarget.value })}
      error={errorAt(errors, '')}
      flex={1}
    />
  );
}
