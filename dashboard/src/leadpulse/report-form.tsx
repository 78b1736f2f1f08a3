import { Button, NativeSelect, Stack, Switch, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { optionIn, optionsOf } from '../form/options.ts';
import { EventField } from '../names/event-field.tsx';
import classes from './report-charts.module.css';
import { directions, intervals, maxSteps, nodeKinds, type ReportDraft, type ReportSearch, windows, withDefaults } from './report-search.ts';

type Props = { search: ReportSearch; onShow: (next: Record<string, unknown>) => void };

const hint = 'The name of an event, or the path of a page such as /pricing.';

/** The definition of a report. It is shown once it is submitted. */
export function ReportForm({ search, onShow }: Props) {
  const [draft, setDraft] = useState<ReportDraft>(withDefaults(search));
  const change = (changed: Partial<typeof draft>) => setDraft({ ...draft, ...changed });
  const text = (name: 'first' | 'returning' | 'anchor') => ({
    withPages: true,
    value: draft[name],
    onChange: (value: string) => change({ [name]: value }),
  });
  const submit = (submitted: FormEvent) => {
    submitted.preventDefault();
    onShow({ ...draft, steps: draft.steps.map((step) => step.trim()).filter((step) => step !== '') });
  };
  return (
    <form onSubmit={submit} aria-label="Report">
      <Stack gap="md">
        {draft.kind === 'funnel' && (
          <>
            <div className={classes.form}>
              {draft.steps.map((step, index) => (
                <EventField
                  // biome-ignore lint/suspicious/noArrayIndexKey: a step is its position.
                  key={index}
                  withPages
                  label={`Step ${index + 1}`}
                  placeholder={index === 0 ? '/pricing' : 'order_placed'}
                  value={step}
                  onChange={(value) => change({ steps: draft.steps.with(index, value) })}
                />
              ))}
              {draft.steps.length < maxSteps && (
                <Button variant="default" onClick={() => change({ steps: [...draft.steps, ''] })}>
                  Add a step
                </Button>
              )}
            </div>
            <div className={classes.form}>
              <Choice label="Within" names={windows} value={draft.window} onChoose={(window) => change({ window })} />
              <Switch
                label="No other events between the steps"
                checked={draft.strict}
                onChange={({ currentTarget: { checked } }) => change({ strict: checked })}
              />
            </div>
          </>
        )}
        {draft.kind === 'retention' && (
          <div className={classes.form}>
            <EventField label="First" {...text('first')} />
            <EventField label="Returning" {...text('returning')} />
            <Choice label="By" names={intervals} value={draft.interval} onChoose={(interval) => change({ interval })} />
          </div>
        )}
        {draft.kind === 'paths' && (
          <div className={classes.form}>
            <Choice label="Direction" names={directions} value={draft.direction} onChoose={(direction) => change({ direction })} />
            <EventField label="Event or page" placeholder="Any" {...text('anchor')} />
            <Choice label="Show" names={nodeKinds} value={draft.nodes} onChoose={(nodes) => change({ nodes })} />
          </div>
        )}
        <div className={classes.form}>
          <Button type="submit">Show report</Button>
          <Text size="sm" c="dimmed">
            {hint}
          </Text>
        </div>
      </Stack>
    </form>
  );
}

type ChoiceProps<Value extends string> = {
  label: string;
  names: Readonly<Record<Value, string>>;
  value: Value;
  onChoose: (value: Value) => void;
};

const Choice = <Value extends string>({ label, names, value, onChoose }: ChoiceProps<Value>) => (
  <NativeSelect
    label={label}
    data={optionsOf(names)}
    value={value}
    onChange={({ currentTarget }) => {
      const chosen = optionIn(names, currentTarget.value);
      if (chosen !== undefined) onChoose(chosen);
    }}
  />
);
