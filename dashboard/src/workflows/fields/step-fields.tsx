import { BranchFields } from './steps/branch-fields.tsx';
import { DelayFields } from './steps/delay-fields.tsx';
import { NotifyFields } from './steps/notify-fields.tsx';
import { SegmentFields } from './steps/segment-fields.tsx';
import { SendFields } from './steps/send-fields.tsx';
import { SplitFields } from './steps/split-fields.tsx';
import { StartWorkflowFields } from './steps/start-workflow-fields.tsx';
import type { StepProps } from './steps/step-props.ts';
import { StepTextField } from './steps/step-text-field.tsx';
import { TagFields } from './steps/tag-fields.tsx';
import { TrackEventFields } from './steps/track-event-fields.tsx';
import { UpdateContactFields } from './steps/update-contact-fields.tsx';
import { WaitFields } from './steps/wait-fields.tsx';
import { WebhookFields } from './steps/webhook-fields.tsx';

/** The fields of a step. */
export function StepFields(props: StepProps) {
  const { step } = props;
  switch (step.type) {
    case 'delay':
      return <DelayFields {...props} step={step} />;
    case 'branch':
      return <BranchFields {...props} step={step} />;
    case 'wait_until':
    case 'goal':
      return <WaitFields {...props} step={step} />;
    case 'split':
      return <SplitFields {...props} step={step} />;
    case 'send':
      return <SendFields {...props} step={step} />;
    case 'update_contact':
      return <UpdateContactFields {...props} step={step} />;
    case 'add_tag':
    case 'remove_tag':
      return <TagFields {...props} step={step} />;
    case 'add_to_segment':
    case 'remove_from_segment':
      return <SegmentFields {...props} step={step} />;
    case 'notify':
      return <NotifyFields {...props} step={step} />;
    case 'webhook':
      return <WebhookFields {...props} step={step} />;
    case 'start_workflow':
      return <StartWorkflowFields {...props} step={step} />;
    case 'track_event':
      return <TrackEventFields {...props} step={step} />;
    case 'exit':
      return (
        <StepTextField
          {...props}
          field="reason"
          label="Reason"
          value={step.reason ?? ''}
          onText={(reason) => ({ ...step, reason })}
          description="Shown with the run."
        />
      );
  }
}
