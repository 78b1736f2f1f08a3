import { NativeSelect, NumberInput } from '@mantine/core';
import { EventField } from '../names/event-field.tsx';
import { useNames } from '../names/names.ts';
import { activities, formActivities } from './operators.ts';
import type { ActivityDraft } from './rule-draft.ts';
import { errorAt, errorsBelow, type RuleErrors } from './rule-errors.ts';
import { WhereEditor } from './where-editor.tsx';
import { WindowField } from './window-field.tsx';

type Props = { condition: ActivityDraft; errors: RuleErrors; onChange: (condition: ActivityDraft) => void };

/** A condition on events, or on activity of campaigns or forms: how often, and within which time. */
export function ActivityEditor({ condition, errors, onChange }: Props) {
  const { kind, of, times, count, window, where } = condition;
  const set = (change: Partial<ActivityDraft>) => onChange({ ...condition, ...change });

  return (
    <>
      {kind === 'event' ? (
        <EventField
          label="Event"
          isLabelVisible={false}
          value={of}
          onChange={(name) => set({ of: name })}
          error={errorAt(errors, '/event')}
        />
      ) : (
        <SourceFields condition={condition} errors={errors} onChange={onChange} />
      )}
      <NativeSelect
        aria-label="How often"
        data={[
          { value: 'gte', label: 'at least' },
          { value: 'lte', label: 'at most' },
          { value: 'eq', label: 'exactly' },
        ]}
        value={times}
        onChange={({ currentTarget: { value } }) => set({ times: value === 'lte' || value === 'eq' ? value : 'gte' })}
      />
      <NumberInput
        aria-label="Times"
        min={0}
        allowDecimal={false}
        value={count}
        onChange={(number) => set({ count: String(number) })}
        error={errorAt(errors, '/count')}
      />
      <WindowField
        label="Within the last"
        prefix="in the last "
        isOptional
        value={window}
        onChange={(chosen) => set({ window: chosen })}
        error={errorAt(errors, '/in_last')}
      />
      {kind === 'event' && (
        <WhereEditor event={of} where={where} errors={errorsBelow(errors, '/where')} onChange={(filters) => set({ where: filters })} />
      )}
    </>
  );
}

/** The campaign or form, and what happened with it. */
function SourceFields({ condition, errors, onChange }: Props) {
  const { campaigns, workflows, forms } = useNames();
  const { kind, of, activity } = condition;
  const isForm = kind === 'form';
  const named = (rows: readonly { id: string; name: string }[], note = '') =>
    rows.map(({ id, name }) => ({ value: id, label: name + note }));
  const known = isForm ? named(forms) : [...named(campaigns), ...named(workflows, ' (workflow)')];
  const any = { value: 'any', label: isForm ? 'Any form' : 'Any campaign' };
  return (
    <>
      <NativeSelect
        aria-label={isForm ? 'Form' : 'Campaign'}
        data={[any, ...known, ...(of === 'any' || known.some(({ value }) => value === of) ? [] : [of])]}
        value={of}
        onChange={(event) => onChange({ ...condition, of: event.currentTarget.value })}
        error={errorAt(errors, isForm ? '/form' : '/campaign')}
      />
      <NativeSelect
        aria-label="Activity"
        data={isForm ? [...formActivities] : [...activities]}
        value={activity}
        onChange={(event) => onChange({ ...condition, activity: event.currentTarget.value })}
        error={errorAt(errors, '/activity')}
      />
    </>
  );
}
