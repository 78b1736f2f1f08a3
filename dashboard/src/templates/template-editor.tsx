import { Button, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { Loaded } from '../api/loaded.tsx';
import { useBrand } from '../brand/brand.ts';
import type { Starter } from '../email-design/starters.ts';
import type { Sender } from '../email-editor/send-test.tsx';
import { Panel } from '../page/panel.tsx';
import { EditTemplateForm } from './edit-template-form.tsx';
import { NewTemplateForm } from './new-template-form.tsx';
import { StarterList } from './starter-list.tsx';
import { useTemplate } from './templates.ts';

type Props = { sender: Sender | undefined; onSaved: (templateId: string) => void; onCancel: () => void };

export type TemplateEditorProps = Props & {
  /** The template to edit; undefined for a new one. */
  id: string | undefined;
};

/** Writes the email of a template in a dialog. */
export default function TemplateEditor({ id, ...props }: TemplateEditorProps) {
  return id === undefined ? <NewEmail {...props} /> : <SavedEmail id={id} {...props} />;
}

function NewEmail({ sender, onSaved, onCancel }: Props) {
  const query = useBrand();
  const [chosen, setChosen] = useState<{ starter: Starter | undefined }>();
  return (
    <Loaded of="the brand" query={query}>
      {(brand) =>
        chosen ? (
          <NewTemplateForm
            brand={brand}
            starter={chosen.starter}
            sender={sender}
            submit="Save email"
            focusesName
            cancel={onCancel}
            onCreated={({ id, name }) => {
              notifications.show({ message: `${name} was created.` });
              onSaved(id);
            }}
          />
        ) : (
          <Panel
            title="Start from"
            action={
              <Button variant="default" size="xs" onClick={() => setChosen({ starter: undefined })}>
                Start from scratch
              </Button>
            }
          >
            <StarterList onPick={(starter) => setChosen({ starter })} />
          </Panel>
        )
      }
    </Loaded>
  );
}

function SavedEmail({ id, sender, onSaved, onCancel }: Props & { id: string }) {
  const query = useTemplate(id);
  return (
    <Loaded of="the template" query={query}>
      {(template) => (
        <Stack gap="lg">
          <Text size="sm" c="dimmed">
            Your changes apply wherever this template is used, including active workflows.
          </Text>
          <EditTemplateForm
            template={template}
            sender={sender}
            load={() => query.refetch({ throwOnError: true })}
            submit="Save email"
            focusesName
            cancel={onCancel}
            onSaved={() => onSaved(id)}
          />
        </Stack>
      )}
    </Loaded>
  );
}
