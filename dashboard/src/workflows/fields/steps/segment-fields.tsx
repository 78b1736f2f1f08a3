import { SegmentPicker } from '../../../names/pickers.tsx';
import { type StepProps, useSet } from './step-props.ts';

/** The static segment to change. */
export function SegmentFields(props: StepProps<'add_to_segment' | 'remove_from_segment'>) {
  const { step, fault } = props;
  const set = useSet(props);
  return (
    <SegmentPicker
      isStatic
      label="Static segment"
      value={step.segment_id}
      onChange={(segment_id) => set({ ...step, segment_id }, null)}
      error={fault('/segment_id')}
    />
  );
}
