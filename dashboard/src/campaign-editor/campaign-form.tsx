import { Alert, Anchor, Button, Group, List, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ComponentProps, type ReactNode, useState } from 'react';
import type { Campaign } from '../campaigns/campaigns.ts';
import { Editor } from '../editor/editor.tsx';
import { ContentPanel } from '../email-editor/content-panel.tsx';
import { fieldErrors } from '../form/field-errors.ts';
import { Form } from '../form/form.tsx';
import { useFormState } from '../form/form-actions.tsx';
import type { Draft } from '../form/kept-draft.tsx';
import type { Autosave } from '../form/use-autosave.ts';
import { Columns } from '../page/panel.tsx';
import { SaveAsTemplate } from '../templates/save-as-template.tsx';
import { TemplatePicker } from '../templates/template-picker.tsx';
import { AbTestFields } from './ab-test-fields.tsx';
import { AudiencePanel } from './audience-panel.tsx';
import { AudienceSummary } from './audience-summary.tsx';
import type { CampaignDraft, CampaignFormState } from './campaign-draft.ts';
import { type CampaignStep, stepAfter, stepNames, stepOf } from './campaign-steps.ts';
import { ConversionFields } from './conversion-fields.tsx';
import { useDraftNames } from './draft-names.ts';
import { HoldoutFields } from './holdout-fields.tsx';
import { ReviewCampaign } from './review-campaign.tsx';
import { SenderPanel } from './sender-panel.tsx';
import { SendingPanel } from './sending-panel.tsx';
import { Steps } from './steps.tsx';
import { TemplateContent } from './template-content.tsx';
import { UtmFields } from './utm-fields.tsx';
import { type Missing, missingOf, settingsErrors } from './validate-campaign.ts';

/** What the form does when the draft is saved, or could not be saved. */
type Settled = { onSaved: () => void; onError: (error: Error) => void };

type Props = Pick<ComponentProps<typeof Editor>, 'title' | 'back' | 'status'> & {
  notice?: ReactNode;
  /** Absent until it is saved for the first time. */
  campaign?: Campaign;
  initial: CampaignDraft;
  step: CampaignStep;
  onStep: (step: CampaignStep) => void;
  saving: { isPending: boolean; error: Error | null };
  kept: Draft<CampaignDraft>;
  autosave?: Autosave<CampaignDraft>['save'];
  /** Saves the draft, and opens the next step. */
  onSubmit: (draft: CampaignDraft, next: CampaignStep, settled: Settled) => void;
};

/** Creates a campaign in steps, which can be left and reopened. The review shows what is saved. */
export function CampaignForm({ campaign, initial, step, onStep, saving, kept, autosave, onSubmit, ...editor }: Props) {
  const form = useForm({
    initialValues: initial,
    validate: (draft) => ({
      ...Object.fromEntries(neededAt(step, draft).map(({ field, what }) => [field, what])),
      ...settingsErrors(draft),
    }),
  });
  const named = useDraftNames();
  const missing = missingOf(form.values);
  const save = (draft: CampaignDraft, next: CampaignStep) =>
    onSubmit(draft, next, {
      onSaved: () => form.resetDirty(draft),
      onError: (error) => {
        const [field] = Object.keys(fieldErrors(error, draft).byField);
        if (field !== undefined && stepOf(field) !== step) onStep(stepOf(field));
      },
    });
  /** A campaign can be saved once it has an email, so leaving the first step of a new one saves nothing. */
  const proceed = (draft: CampaignDraft) => {
    const next = stepAfter(step);
    if ((campaign && !form.isDirty()) || missing.length > 0) onStep(next);
    else save(draft, next);
  };
  return (
    <Form
      form={form}
      saving={saving}
      draft={{ ...kept, named }}
      autosave={
        autosave && {
          isOn: true,
          isValid: missing.length === 0 && Object.keys(settingsErrors(form.values)).length === 0,
          save: (draft: CampaignDraft) => autosave(draft).then(() => form.resetDirty(draft)),
        }
      }
      onSubmit={proceed}
    >
      <CampaignEditor {...editor} {...{ form, campaign, step, onStep, missing, named }} onSave={(next) => save(form.values, next)} />
    </Form>
  );
}

type EditorProps = Pick<Props, 'title' | 'back' | 'status' | 'notice' | 'step' | 'onStep'> & {
  form: CampaignFormState;
  campaign: Campaign | undefined;
  missing: readonly Missing[];
  named: ReturnType<typeof useDraftNames>;
  /** Saves what is typed as it is, and opens a step. */
  onSave: (next: CampaignStep) => void;
};

function CampaignEditor({ form, campaign, step, onStep, missing, named, notice, onSave, ...editor }: EditorProps) {
  const { saveFirst } = useFormState();
  const [sendPlace, setSendPlace] = useState<HTMLDivElement | null>(null);
  // Kept here, because the review is hidden while a change is not saved yet.
  const [at, setAt] = useState('');
  const isDirty = form.isDirty();
  const isSaved = campaign !== undefined && !isDirty;
  /** What has been saved once may be saving by itself just now, and only one save can be under way. */
  const saveAndOpen = async (next: CampaignStep) => {
    if (!campaign || missing.length > 0) onSave(next);
    else if ((await saveFirst()) && next !== step) onStep(next);
  };
  const goTo = (next: CampaignStep) => {
    const invalid = settingsErrors(form.values);
    if (Object.keys(invalid).length > 0) {
      form.setErrors(invalid);
      return onStep('settings');
    }
    if (next === 'review' && !isSaved && missing.length === 0) void saveAndOpen(next);
    else onStep(next);
  };
  return (
    <Editor
      {...editor}
      name={form.getInputProps('name')}
      submit={campaign ? 'Save' : 'Save draft'}
      onSave={() => void (!form.validate().hasErrors && saveAndOpen(step))}
      failed="Couldn't save the campaign"
      primary={step === 'review' ? <div ref={setSendPlace} /> : <Button type="submit">Continue</Button>}
    >
      <Stack gap="lg">
        {notice}
        <Steps step={step} missing={missing} onStep={goTo} />
        <AudienceSummary audience={form.values.audience} savedId={isSaved ? campaign.id : undefined} named={named} />
        {step === 'audience' && (
          <Columns>
            <AudiencePanel form={form} />
            <SenderPanel form={form} />
          </Columns>
        )}
        {step === 'content' && <Content form={form} campaign={campaign} isDirty={isDirty} />}
        {step === 'settings' && (
          <>
            <SendingPanel form={form} />
            <UtmFields form={form} />
            <ConversionFields form={form} />
            <AbTestFields form={form} />
            <HoldoutFields form={form} />
          </>
        )}
        {step === 'review' && !isSaved && <Unsaved missing={missing} onStep={goTo} />}
        {step === 'review' && isSaved && <ReviewCampaign campaign={campaign} sendPlace={sendPlace} onStep={goTo} at={at} onAt={setAt} />}
      </Stack>
    </Editor>
  );
}

const neededAt = (step: CampaignStep, draft: CampaignDraft) => missingOf(draft).filter((missing) => missing.step === step);

/** What keeps the review from being shown. */
function Unsaved({ missing, onStep }: { missing: readonly Missing[]; onStep: (step: CampaignStep) => void }) {
  if (missing.length === 0)
    return (
      <Alert color="gray" title="Your changes are not saved">
        <Button variant="default" size="xs" onClick={() => onStep('review')}>
          Save and review
        </Button>
      </Alert>
    );
  return (
    <Alert color="yellow" title="Something is still missing">
      <List size="sm">
        {missing.map(({ step, what }) => (
          <List.Item key={what}>
            {what}{' '}
            <Anchor component="button" type="button" inherit underline="always" onClick={() => onStep(step)}>
              Go to {stepNames[step]}
            </Anchor>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** The subject and the email: written here, or taken from a template. */
function Content({ form, campaign, isDirty }: { form: CampaignFormState; campaign: Campaign | undefined; isDirty: boolean }) {
  const [isPicking, setPicking] = useState(false);
  const { from, reply_to, template_id } = form.values;
  if (template_id !== null && campaign) return <TemplateContent form={form} campaign={campaign} templateId={template_id} />;
  const sender = {
    email: from.email,
    name: from.name.trim() === '' ? null : from.name,
    reply_to: reply_to.trim() === '' ? null : reply_to,
  };
  return (
    <>
      <ContentPanel
        form={form}
        sender={sender}
        savedId={isDirty ? undefined : campaign?.id}
        action={
          <Group gap="xs">
            <Button variant="default" size="xs" onClick={() => setPicking(true)}>
              Templates…
            </Button>
            <SaveAsTemplate content={form.values} />
          </Group>
        }
      />
      <TemplatePicker form={form} opened={isPicking} onClose={() => setPicking(false)} />
    </>
  );
}
