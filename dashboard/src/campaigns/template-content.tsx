import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { SubjectFields } from '../email-editor/subject-fields.tsx';
import { ButtonLink } from '../shell/button-link.tsx';
import { Panel } from '../shell/panel.tsx';
import { contentDraftOf, useTemplate } from '../templates/templates.ts';
import type { CampaignFormState } from './campaign-draft.ts';
import { CampaignPreview } from './campaign-preview.tsx';
import type { Campaign } from './campaigns.ts';

/** The content of a campaign that is taken from a template when it is sent. */
export function TemplateContent({ form, campaign, templateId }: { form: CampaignFormState; campaign: Campaign; templateId: string }) {
  const { data: template, error, refetch } = useTemplate(templateId);
  const { subject, preview_text } = form.values;
  return (
    <Panel title="Content">
      <Stack gap="sm">
        <SubjectFields form={form} />
        {error && <ErrorAlert error={error} title="Couldn't load the template" onRetry={() => void refetch()} />}
        <Alert color="gray" title={template ? `From the template ${template.name}` : 'From a template'}>
          <Text size="sm">
            The content is copied from the template when you send or schedule the campaign. Until then, changes to the template are
            included.
          </Text>
          {template && (
            <Group gap="sm" mt="sm">
              <ButtonLink to="/campaigns/templates/$id" params={{ id: templateId }} variant="default" size="xs">
                Open the template
              </ButtonLink>
              <Button
                variant="default"
                size="xs"
                onClick={() => form.setValues({ ...contentDraftOf(template), subject, preview_text, template_id: null })}
              >
                Edit a copy here
              </Button>
            </Group>
          )}
        </Alert>
        <CampaignPreview campaign={campaign} />
      </Stack>
    </Panel>
  );
}
