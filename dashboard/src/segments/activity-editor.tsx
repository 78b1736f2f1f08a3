import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import classes from './condition-editor.module.css';
import { useNames } from './names.ts';
import { type ActivityDraft, activities, type WhereDraft, whereOps } from './rule-draft.ts';
import { opWords } from './rule-words.ts';
import { WindowField } from './window-field.tsx';

type Props = { condition: ActivityDraft; onChange: (condition: ActivityDraft) => void };

/** A condition on events or campaign activity: how often, and within which time. */
export function ActivityEditor({ condition, onChange }: Props) {
  const { kind, of, times, count, window, where } = condition;
  const set = (change: Partial<ActivityDraft>) => onChange({ ...condition, ...change });
  const setWhere = (index: number, change: Partial<WhereDraft>) =>
    set({ where: where.map((one, at) => (at === index ? { ...one, ...change } : one)) });

  return (
    <>
      {kind === 'event' ? (
        <TextInput aria-label="Event" placeholder="order_placed" value={of} onChange={(event) => set({ of: event.currentTarget.value })} />
      ) : (
        <CampaignFields condition={condition} onChange={onChange} />
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
      <TextInput aria-label="Times" type="number" min={0} value={count} onChange={(event) => set({ count: event.currentTarget.value })} />
      <WindowField label="Within the last" isOptional value={window} onChange={(chosen) => set({ window: chosen })} />
      {kind === 'event' && (
        <div className={classes.line}>
          {where.map(({ property, op, value }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: properties have no identity except their position.
            <div key={index} className={classes.line}>
              <TextInput
                aria-label="Property"
                placeholder="total"
                value={property}
                onChange={(event) => setWhere(index, { property: event.currentTarget.value })}
              />
              <NativeSelect
                aria-label="Property operator"
                data={whereOps.map((name) => ({ value: name, label: opWords[name] ?? name }))}
                value={op}
                onChange={(event) => setWhere(index, { op: event.currentTarget.value })}
              />
              <TextInput
                aria-label="Property value"
                value={value}
                onChange={(event) => setWhere(index, { value: event.currentTarget.value })}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label="Remove property filter"
                onClick={() => set({ where: where.filter((_, at) => at !== index) })}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            </div>
          ))}
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => set({ where: [...where, { property: '', op: 'eq', value: '' }] })}
          >
            Add property filter
          </Button>
        </div>
      )}
    </>
  );
}

function CampaignFields({ condition, onChange }: Props) {
  const { campaigns } = useNames();
  const { of, activity } = condition;
  const known = campaigns.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <>
      <NativeSelect
        aria-label="Campaign"
        data={[{ value: 'any', label: 'Any campaign' }, ...known, ...(of === 'any' || known.some(({ value }) => value === of) ? [] : [of])]}
        value={of}
        onChange={(event) => onChange({ ...condition, of: event.currentTarget.value })}
      />
      <NativeSelect
        aria-label="Activity"
        data={[...activities]}
        value={activity}
        onChange={(event) => onChange({ ...condition, activity: event.currentTarget.value })}
      />
    </>
  );
}
