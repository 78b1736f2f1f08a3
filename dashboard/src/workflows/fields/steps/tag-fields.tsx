import { SeenValueField } from '../../../rules/seen-value-field.tsx';
import { type StepProps, useSet } from './step-props.ts';

/** The tag that a step adds or removes. */
export function TagFields(props: StepProps<'add_tag' | 'remove_tag'>) {
  const { step, fault } = props;
  const set = useSet(props);
  return <SeenValueField of="tags" label="Tag" value={step.tag} onChange={(tag) => set({ ...step, tag }, 'tag')} error={fault('/tag')} />;
}
