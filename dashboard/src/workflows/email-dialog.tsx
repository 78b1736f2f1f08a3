import { Box } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useLastDefined } from '../dialogs/use-last-defined.ts';
import { OwnFieldsContext } from '../email-editor/fields.ts';
import type { Sender } from '../email-editor/send-test.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { useSeenProperties } from '../names/seen-events.ts';
import { TemplateEditor } from '../templates/lazy-template-editor.tsx';
import { runFields } from './canvas/run-fields.ts';
import type { Definition } from './definition.ts';
import { stepOf } from './edits/graph.ts';
import { EmailDialogContext, type StepEmail } from './email-dialog-context.ts';

/**
 * Writes the emails of steps in the editor of templates. The dialog is not inside the form of the workflow: keys that are
 * pressed and forms that are submitted in it would reach the canvas and the workflow.
 */
export function EmailDialogProvider({ definition, children }: { definition: Definition; children: ReactNode }) {
  const [email, setEmail] = useState<StepEmail>();
  const shown = useLastDefined(email);
  const close = () => setEmail(undefined);
  return (
    <EmailDialogContext value={{ isOpen: email !== undefined, open: setEmail }}>
      {children}
      <FormDialog
        isFullScreen
        opened={email !== undefined}
        onClose={close}
        title={shown?.templateId === undefined ? 'New email' : 'Edit email'}
      >
        {shown && <Email definition={definition} email={shown} onClose={close} />}
      </FormDialog>
    </EmailDialogContext>
  );
}

type EmailProps = { definition: Definition; email: StepEmail; onClose: () => void };

function Email({ definition, email: { stepId, templateId, onSaved }, onClose }: EmailProps) {
  const { trigger } = definition;
  const properties = useSeenProperties(trigger.type === 'event' ? trigger.name : '');
  return (
    <OwnFieldsContext value={runFields(definition, stepId, properties.keys())}>
      <Box maw={1080} mx="auto">
        <TemplateEditor
          id={templateId}
          sender={senderOf(definition, stepId)}
          onSaved={(id) => {
            onSaved(id);
            onClose();
          }}
          onCancel={onClose}
        />
      </Box>
    </OwnFieldsContext>
  );
}

/** The sender of a step's email. */
function senderOf(definition: Definition, stepId: string): Sender | undefined {
  const step = stepOf(definition, stepId);
  if (step?.type !== 'send') return undefined;
  const { from, reply_to = null } = step;
  return { email: from.email, name: from.name ?? null, reply_to };
}
