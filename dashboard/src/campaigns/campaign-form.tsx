import { Button, Checkbox, Group, MultiSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { fieldError } from '../api/request-failed.ts';
import { EditForm } from '../form/edit-form.tsx';
import classes from '../form/editor.module.css';
import { FormGrid } from '../form/form-grid.tsx';
import { useAllSegments } from '../segments/segments.ts';
import { ButtonLink } from '../shell/button-link.tsx';
import { Columns, Panel } from '../shell/panel.tsx';
import { type CampaignDraft, draftOf } from './campaign-draft.ts';
import { CampaignPreview } from './campaign-preview.tsx';
import type { Campaign } from './campaigns.ts';
import { MailFrame } from './mail-frame.tsx';

const shown = ['/name', '/subject', '/preview_text', '/from/email', '/from/name', '/reply_to', '/html', '/text', '/throttle_per_minute'];

type Props = {
  campaign?: Campaign;
  submit: string;
  failed: string;
  isPending: boolean;
  error: Error | null;
  /** Calls `onSaved` when the draft is saved. */
  onSubmit: (draft: CampaignDraft, onSaved: () => void) => void;
};

export function CampaignForm({ campaign, submit, failed, isPending, error, onSubmit }: Props) {
  const [draft, setDraft] = useState(() => draftOf(campaign));
  const [saved, setSaved] = useState(draft);
  const set = (change: Partial<CampaignDraft>) => setDraft({ ...draft, ...change });
  const { rows: segments } = useAllSegments();
  const known = segments.map(({ id, name }) => ({ value: id, label: name }));
  const named = (ids: readonly string[]) => [...known, ...ids.filter((id) => id !== 'all' && !known.some(({ value }) => value === id))];
  const isChanged = JSON.stringify(draft) !== JSON.stringify(saved);

  return (
    <EditForm isChanged={isChanged} isPending={isPending} onSubmit={() => onSubmit(draft, () => setSaved(draft))}>
      <Columns>
        <Stack gap="lg">
          <Panel title="Campaign">
            <Stack gap="sm">
              <TextInput
                label="Name"
                autoComplete="off"
                value={draft.name}
                onChange={(event) => set({ name: event.currentTarget.value })}
                error={fieldError(error, '/name')}
              />
              <FormGrid>
                <TextInput
                  label="From name"
                  autoComplete="off"
                  value={draft.fromName}
                  onChange={(event) => set({ fromName: event.currentTarget.value })}
                  error={fieldError(error, '/from/name')}
                />
                <TextInput
                  type="email"
                  label="From email"
                  autoComplete="off"
                  value={draft.fromEmail}
                  onChange={(event) => set({ fromEmail: event.currentTarget.value })}
                  error={fieldError(error, '/from/email')}
                />
                <TextInput
                  type="email"
                  label="Reply-to"
                  autoComplete="off"
                  value={draft.replyTo}
                  onChange={(event) => set({ replyTo: event.currentTarget.value })}
                  error={fieldError(error, '/reply_to')}
                />
              </FormGrid>
            </Stack>
          </Panel>
          <Panel title="Audience">
            <Stack gap="sm">
              <MultiSelect
                label="Include"
                data={[{ value: 'all', label: 'All contacts' }, ...named(draft.include)]}
                value={draft.include}
                onChange={(include) => set({ include })}
                searchable
                error={fieldError(error, '/audience/include')}
              />
              <MultiSelect
                label="Exclude"
                data={named(draft.exclude)}
                value={draft.exclude}
                onChange={(exclude) => set({ exclude })}
                searchable
                error={fieldError(error, '/audience/exclude')}
              />
            </Stack>
          </Panel>
          <Panel title="Message">
            <Stack gap="sm">
              <TextInput
                label="Subject"
                autoComplete="off"
                value={draft.subject}
                onChange={(event) => set({ subject: event.currentTarget.value })}
                error={fieldError(error, '/subject')}
              />
              <TextInput
                label="Preview text"
                description="Shown beside the subject in the inbox."
                autoComplete="off"
                value={draft.previewText}
                onChange={(event) => set({ previewText: event.currentTarget.value })}
                error={fieldError(error, '/preview_text')}
              />
              <Textarea
                label="HTML"
                description="Liquid: {{ contact.first_name }}, {{ contact.attributes.plan }}, {{ unsubscribe_url }}"
                rows={14}
                spellCheck={false}
                classNames={{ input: classes.source ?? '' }}
                value={draft.html}
                onChange={(event) => set({ html: event.currentTarget.value })}
                error={fieldError(error, '/html')}
              />
              <Textarea
                label="Plain text"
                description="Leave empty to generate it from the HTML."
                autosize
                minRows={2}
                classNames={{ input: classes.source ?? '' }}
                value={draft.text}
                onChange={(event) => set({ text: event.currentTarget.value })}
                error={fieldError(error, '/text')}
              />
            </Stack>
          </Panel>
          <Panel title="Sending">
            <Stack gap="sm">
              <TextInput
                label="Throttle (emails per minute)"
                inputMode="numeric"
                placeholder="No limit"
                w={220}
                value={draft.perMinute}
                onChange={(event) => set({ perMinute: event.currentTarget.value })}
                error={fieldError(error, '/throttle_per_minute')}
              />
              <Checkbox
                label="Track opens"
                checked={draft.tracksOpens}
                onChange={(event) => set({ tracksOpens: event.currentTarget.checked })}
              />
              <Checkbox
                label="Track clicks"
                checked={draft.tracksClicks}
                onChange={(event) => set({ tracksClicks: event.currentTarget.checked })}
              />
            </Stack>
          </Panel>
        </Stack>
        <Stack gap="lg" className={classes.beside}>
          <Panel title="Preview">
            {campaign && !isChanged && !error ? (
              <CampaignPreview campaign={campaign} />
            ) : (
              <Stack gap="xs">
                <MailFrame html={draft.html} title="Unsaved email preview" />
                <p className={classes.note}>Save the campaign to preview it with contact data.</p>
              </Stack>
            )}
          </Panel>
          {error && <ErrorAlert error={error} title={failed} shownElsewhere={shown} />}
          <Group justify="flex-end" gap="sm">
            {campaign ? (
              <ButtonLink to="/campaigns/$id" params={{ id: campaign.id }} variant="default">
                {isChanged ? 'Cancel' : 'Done'}
              </ButtonLink>
            ) : (
              <ButtonLink to="/campaigns" variant="default">
                Cancel
              </ButtonLink>
            )}
            <Button type="submit" loading={isPending}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </Columns>
    </EditForm>
  );
}
