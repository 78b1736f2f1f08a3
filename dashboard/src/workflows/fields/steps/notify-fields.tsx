import { UserPicker } from '../../../names/pickers.tsx';
import { type StepProps, useSet } from './step-props.ts';
import { StepTextField } from './step-text-field.tsx';

/** The email to a user of the account. */
export function NotifyFields(props: StepProps<'notify'>) {
  const { step, fault } = props;
  const set = useSet(props);
  return (
    <>
      <UserPicker label="User" value={step.user_id} onChange={(user_id) => set({ ...step, user_id }, null)} error={fault('/user_id')} />
      <StepTextField {...props} field="subject" label="Subject" value={step.subject} onText={(subject) => ({ ...step, subject })} />
      <StepTextField
        {...props}
        field="text"
        label="Text"
        description="A link to the run is added."
        isLong
        value={step.text}
        onText={(text) => ({ ...step, text })}
      />
    </>
  );
}
