import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { createPortal } from 'react-dom';
import { Loaded } from '../api/loaded.tsx';
import { type Campaign, useDryRun, usePreviewOf, useSendCampaign } from '../campaigns/campaigns.ts';
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx';
import { EmailChecks } from '../email-editor/email-checks.tsx';
import { useChecks } from '../email-editor/use-checks.ts';
import { counted } from '../numbers/format-number.ts';
import { Columns, Panel } from '../page/panel.tsx';
import { usePermission } from '../session/permission.ts';
import { useTemplate } from '../templates/templates.ts';
import { absolute, moment } from '../time/relative.ts';
import { accountZone, timeAt } from '../time/zone.ts';
import { CampaignPreview } from './campaign-preview.tsx';
import type { CampaignStep } from './campaign-steps.ts';
import { ConversionPanel } from './conversion-panel.tsx';
import { RecipientsPanel } from './recipients-panel.tsx';

type Props = {
  campaign: Campaign;
  /** Where the button is shown that sends. */
  sendPlace: HTMLElement | null;
  onStep: (step: CampaignStep) => void;
  /** The time that was chosen, as typed; empty: now. */
  at: string;
  onAt: (at: string) => void;
};

/** The review of a campaign: who gets it, how it looks, and the button that sends it. */
export function ReviewCampaign({ campaign, sendPlace, onStep, ...when }: Props) {
  return (
    <Stack gap="lg">
      <Columns>
        <Panel title="Message">
          <CampaignPreview campaign={campaign} />
        </Panel>
        <Stack gap="lg">
          <RecipientsPanel campaign={campaign} onChange={() => onStep('audience')} />
          <ConversionPanel campaign={campaign} onChange={() => onStep('settings')} />
          <Checks campaign={campaign} />
        </Stack>
      </Columns>
      <Send campaign={campaign} sendPlace={sendPlace} {...when} />
    </Stack>
  );
}

export function Checks({ campaign }: Pick<Props, 'campaign'>) {
  return (
    <Panel title="Checks">
      {campaign.template_id === null || campaign.status === 'awaiting_approval' ? (
        <ContentChecks campaign={campaign} source={campaign} />
      ) : (
        <TemplateChecks campaign={campaign} templateId={campaign.template_id} />
      )}
    </Panel>
  );
}

/** The HTML of the campaign itself is that of its template only once it is sent. */
function TemplateChecks({ campaign, templateId }: Pick<Props, 'campaign'> & { templateId: string }) {
  return (
    <Loaded of="the template" query={useTemplate(templateId)}>
      {(template) => <ContentChecks campaign={campaign} source={template} />}
    </Loaded>
  );
}

function ContentChecks({ campaign, source: { html, text } }: Pick<Props, 'campaign'> & { source: Pick<Campaign, 'html' | 'text'> }) {
  const { data: preview, error } = usePreviewOf(campaign);
  const { subject, preview_text, from, id } = campaign;
  const checks = useChecks({
    ...{ content: { subject, preview_text: preview_text ?? '', html, text }, fromEmail: from.email, error, savedId: id },
    preview: preview?.html,
  });
  return <EmailChecks checks={checks} />;
}

/** The button says how many contacts it sends to. */
function Send({ campaign, sendPlace, at, onAt }: Pick<Props, 'campaign' | 'sendPlace' | 'at' | 'onAt'>) {
  const { id, name, timezone_mode, fallback_timezone } = campaign;
  const navigate = useNavigate();
  const [opened, { open, close }] = useDisclosure(false);
  const { may } = usePermission();
  const dryRun = useDryRun(id, true);
  const sending = useSendCampaign(campaign);
  const known = dryRun.isFetching ? undefined : dryRun.data;
  const hasNone = known?.would_send === 0 && known.exact;
  const to = known && `${known.exact ? '' : 'at least '}${counted(known.would_send, 'contact')}`;
  const isLocal = timezone_mode === 'recipient';
  const zone = (isLocal && fallback_timezone) || accountZone();
  const send = () =>
    sending.mutate(at === '' ? undefined : timeAt(at, zone), {
      onSuccess: ({ status }) => {
        const done = at === '' ? 'is being sent' : 'is scheduled';
        notifications.show({ message: `${name} ${status === 'awaiting_approval' ? 'awaits the approval of another user' : done}.` });
        void navigate({ to: '/campaigns/$id', params: { id } });
      },
    });
  const verb = at === '' && !isLocal ? 'Send' : 'Schedule';
  return (
    <Panel title="When">
      {sendPlace &&
        may('campaigns:send') &&
        createPortal(
          <Button disabled={known === undefined || hasNone || (isLocal && at === '')} onClick={open}>
            {to === undefined ? verb : `${verb} to ${to}…`}
          </Button>,
          sendPlace,
        )}
      <TextInput
        type="datetime-local"
        label={isLocal ? 'Schedule' : 'Schedule (optional)'}
        description={
          isLocal
            ? `Each contact gets it at this local time; contacts without a time zone at that of ${zone}.`
            : `Leave empty to send now. Time zone: ${zone}.`
        }
        w={320}
        maw="100%"
        value={at}
        onChange={(event) => onAt(event.currentTarget.value)}
      />
      <ConfirmDialog
        opened={opened}
        onClose={() => {
          sending.reset();
          close();
        }}
        title={at === '' ? 'Send this campaign now?' : 'Schedule this campaign?'}
        confirm={`${verb} to ${to}`}
        isHarmless
        isPending={sending.isPending}
        error={sending.error}
        failed="Couldn't send the campaign"
        onConfirm={send}
      >
        <Text size="sm">
          {at === ''
            ? `${name} goes to ${to}. You can pause or cancel it, but emails already sent can’t be recalled.`
            : isLocal
              ? `${name} will be sent to each contact at ${moment(timeAt(at, zone), zone)} local time.`
              : `${name} will be sent ${absolute(timeAt(at))} to the contacts in the audience at that time.`}
        </Text>
      </ConfirmDialog>
    </Panel>
  );
}
