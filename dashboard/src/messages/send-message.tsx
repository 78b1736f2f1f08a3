import { Button, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconMail } from '@tabler/icons-react';
import { Loaded } from '../api/loaded.tsx';
import { SenderField } from '../campaigns/sender-field.tsx';
import { type Contact, nameOf } from '../contacts/contacts.ts';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { TemplatePicker } from '../names/pickers.tsx';
import { type DefaultSender, useSendingSettings } from '../sending/sending-settings.ts';
import { type MessageDraft, messageOf, missingIn } from './message-draft.ts';
import { useSendMessage } from './messages.ts';

type Props = { contact: Contact };

/** Sends one email to the contact, written here or from a template. */
export function SendMessage({ contact }: Props) {
  const [opened, { open, close }] = useDisclosure(false);
  const settings = useSendingSettings();
  if (contact.email === null) return null;
  return (
    <>
      <Button leftSection={<IconMail size={16} aria-hidden />} onClick={open}>
        Send email
      </Button>
      <FormDialog opened={opened} onClose={close} title={`Email to ${nameOf(contact)}`}>
        <Loaded of="the sender" shape="form" query={settings}>
          {({ default_sender }) => <MessageForm contact={contact} sender={default_sender} onDone={close} />}
        </Loaded>
      </FormDialog>
    </>
  );
}

const paths = { '/from': 'from', '/content/subject': 'subject', '/content/text': 'text' };
const kinds = [
  { value: 'text', label: 'Write a text' },
  { value: 'template', label: 'Use a template' },
];

type FormProps = Props & { sender: DefaultSender | null; onDone: () => void };

function MessageForm({ contact, sender, onDone }: FormProps) {
  const send = useSendMessage(contact.id);
  const form = useForm<MessageDraft>({
    initialValues: { kind: 'text', from: sender?.email ?? '', subject: '', text: '', template_id: '' },
    validate: missingIn,
  });
  const { kind, from, template_id } = form.values;
  const submit = (draft: MessageDraft) =>
    send.mutate(messageOf(draft, sender), {
      onSuccess: () => {
        notifications.show({ message: `Sent to ${contact.email}.` });
        onDone();
      },
    });
  return (
    <Form form={form} saving={send} paths={paths} onSubmit={submit}>
      <Stack gap="md">
        <SegmentedControl
          aria-label="Content"
          data={kinds}
          value={kind}
          onChange={(value) => form.setFieldValue('kind', value === 'template' ? 'template' : 'text')}
        />
        <SenderField label="From" value={from} error={form.errors.from} onChange={(value) => form.setFieldValue('from', value)} />
        {kind === 'template' ? (
          <TemplatePicker
            label="Template"
            value={template_id}
            error={form.errors.template_id}
            onChange={(value) => form.setFieldValue('template_id', value)}
          />
        ) : (
          <>
            <TextInput label="Subject" maxLength={500} autoComplete="off" {...form.getInputProps('subject')} />
            <Textarea label="Text" autosize minRows={6} maxRows={16} {...form.getInputProps('text')} />
          </>
        )}
        <Text size="xs" c="dimmed">
          Sent as a transactional email, which needs no consent. Use it for what the contact expects, such as a receipt.
        </Text>
        <FormActions submit="Send email" failed="Couldn't send the email" cancel={onDone} />
      </Stack>
    </Form>
  );
}
