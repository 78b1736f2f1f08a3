import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import type { ChangeEvent } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import type { Campaign } from '../campaigns/campaigns.ts';
import { SubjectFields } from '../email-editor/subject-fields.tsx';
import { ButtonLink } from '../page/button-link.tsx';
import { Panel } from '../page/panel.tsx';
import { contentDraftOf, useTemplate } from '../templates/templates.ts';
import type { CampaignFormState, TemplateField } from './campaign-draft.ts';
import { CampaignPreview } from './campaign-preview.tsx';

const fieldNames: Readonly<Record<TemplateField, string>> = { subject: 'subject', preview_text: 'preview text' };

/** The content of a campaign that is taken from a template when it is sent. */
export function TemplateContent({ form, campaign, templateId }: { form: CampaignFormState; campaign: Campaign; templateId: string }) {
  const { data: template, error, refetch } = useTemplate(templateId);
  const { overrides } = form.values;
  const shown = (field: TemplateField) => (overrides.includes(field) || !template ? form.values[field] : (template[field] ?? ''));
  /** A field follows the template until it is typed in. */
  const inputProps = (field: TemplateField) => ({
    ...form.getInputProps(field),
    value: shown(field),
    onChange: ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement>) =>
      form.setValues({ [field]: value, overrides: [...overrides.filter((one) => one !== field), field] }),
    description: overrides.includes(field) ? (
      <>
        Not from the template.{' '}
        <Anchor
          component="button"
          type="button"
          inherit
          underline="always"
          onClick={() => form.setValues({ [field]: template?.[field] ?? '', overrides: overrides.filter((one) => one !== field) })}
        >
          Use the template’s {fieldNames[field]}
        </Anchor>
      </>
    ) : (
      'From the template. Changes to the template are included.'
    ),
  });
  return (
    <Panel title="Content">
      <Stack gap="sm">
        <SubjectFields form={{ ...form, getInputProps: (path) => (path === 'text' ? form.getInputProps(path) : inputProps(path)) }} />
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
                onClick={() =>
                  form.setValues({
                    ...contentDraftOf(template),
                    ...{ subject: shown('subject'), preview_text: shown('preview_text'), template_id: null, overrides: [] },
                  })
                }
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
