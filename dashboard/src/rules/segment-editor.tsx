import { NativeSelect } from '@mantine/core';
import { useNames } from '../names/names.ts';
import type { SegmentDraft } from './rule-draft.ts';
import { errorAt, type RuleErrors } from './rule-errors.ts';

type Props = { condition: SegmentDraft; errors: RuleErrors; onChange: (condition: SegmentDraft) => void };

/** A condition on membership in another segment. */
export function SegmentEditor({ condition, errors, onChange }: Props) {
  const { segments } = useNames();
  const { segment, op } = condition;
  const known = segments.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <>
      <NativeSelect
        aria-label="Membership"
        data={[
          { value: 'in', label: 'Is in the segment' },
          { value: 'not_in', label: 'Is not in the segment' },
        ]}
        value={op}
        onChange={(event) => onChange({ ...condition, op: event.currentTarget.value === 'not_in' ? 'not_in' : 'in' })}
      />
      <NativeSelect
        aria-label="Segment"
        data={[{ value: '', label: 'Choose…' }, ...known, ...(segment && !known.some(({ value }) => value === segment) ? [segment] : [])]}
        value={segment}
        onChange={(event) => onChange({ ...condition, segment: event.currentTarget.value })}
        error={errorAt(errors, '/segment')}
      />
    </>
  );
}
