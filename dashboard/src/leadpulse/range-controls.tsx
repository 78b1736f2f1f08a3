import { Group, NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { comparisons, type Days, defaultDays, rangeOf, ranges, type TrafficSearch } from './leadpulse-search.ts';

type Props = {
  search: Pick<TrafficSearch, 'days' | 'from' | 'to' | 'compare'>;
  onChange: (next: Record<string, unknown>) => void;
  /** Whether the view can be compared with an earlier range. */
  compares?: boolean;
};

const names: Record<Days, string> = { 1: 'Today', 7: '7 days', 28: '28 days', 90: '90 days', 365: '12 months' };

/** The time range of a view, and what it is compared with. */
export function RangeControls({ search, onChange, compares = false }: Props) {
  const { from, to } = rangeOf(search);
  const isCustom = search.from !== undefined;
  return (
    <Group gap="sm">
      <SegmentedControl
        aria-label="Time range"
        data={[...ranges.map((days) => ({ value: String(days), label: names[days] })), { value: 'custom', label: 'Custom' }]}
        value={isCustom ? 'custom' : String(search.days ?? defaultDays)}
        onChange={(value) => onChange(value === 'custom' ? { days: undefined, from, to } : { days: value, from: undefined, to: undefined })}
      />
      {isCustom && (
        <>
          <TextInput
            type="date"
            aria-label="From"
            value={from}
            max={to}
            onChange={({ currentTarget: { value } }) => value && onChange({ from: value, to: value > to ? value : to })}
          />
          <TextInput
            type="date"
            aria-label="To"
            value={to}
            min={from}
            onChange={({ currentTarget: { value } }) => value && onChange({ from: value < from ? value : from, to: value })}
          />
        </>
      )}
      {compares && (
        <NativeSelect
          aria-label="Compare with"
          data={[
            ...Object.entries(comparisons).map(([value, label]) => ({ value, label: `Compare with ${label}` })),
            { value: 'none', label: 'No comparison' },
          ]}
          value={search.compare ?? 'previous'}
          onChange={({ currentTarget: { value } }) => onChange({ compare: value })}
        />
      )}
    </Group>
  );
}
