import { ActionIcon, Button, NativeSelect, NumberInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { Suggest } from '../form/suggest.tsx';
import { useSeenEvents, useSeenProperties } from '../leadpulse/seen-events.ts';
import classes from './condition-editor.module.css';
import { useNames } from './names.ts';
import { type ActivityDraft, activities, type WhereDraft, whereOps } from './rule-draft.ts';
import { opWords } from './rule-words.ts';
import { WindowField } from './window-field.tsx';

type Props = { condition: ActivityDraft; onChange: (condition: ActivityDraft) => void };

/** A condition on events or campaign activity: how often, and within which time. */
export function ActivityEditor({ condition, onChange }: Props) {
  const { kind, of, times, count, window, where } = condition;
  const events = useSeenEvents();
  const properties = useSeenProperties(kind === 'event' && events.includes(of) ? of : '');
  const set = (change: Partial<ActivityDraft>) => onChange({ ...condition, ...change });
  const setWhere = (index: number, change: Partial<WhereDraft>) =>
    set({ where: where.map((one, at) => (at === index ? { ...one, ...change } : one)) });

  return (
    <>
      {kind === 'event' ? (
        <Suggest label="Event" placeholder="order_placed" values={events} value={of} onChange={(name) => set({ of: name })} />
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
      <NumberInput aria-label="Times" min={0} allowDecimal={false} value={count} onChange={(number) => set({ count: String(number) })} />
      <WindowField label="Within the last" isOptional value={window} onChange={(chosen) => set({ window: chosen })} />
      {kind === 'event' && (
        <div className={classes.line}>
          {where.map(({ property, op, value }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: properties have no identity except their position.
            <div key={index} className={classes.line}>
              <Suggest
                label="Property"
                placeholder="total"
                values={[...properties.keys()]}
                value={property}
                onChange={(name) => setWhere(index, { property: name })}
              />
              <NativeSelect
                aria-label="Property operator"
                data={whereOps.map((name) => ({ value: name, label: opWords[name] ?? name }))}
                value={op}
                onChange={(event) => setWhere(index, { op: event.currentTarget.value })}
              />
              <Suggest
                label="Property value"
                values={properties.get(property) ?? []}
                value={value}
                onChange={(text) => setWhere(index, { value: text })}
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
