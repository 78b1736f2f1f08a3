import { Alert, Button, Checkbox, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { fieldLabel } from '../contact-fields/field-labels.ts';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { TextLink } from '../page/button-link.tsx';
import { type FormDryRun, type Form as StoredForm, useDryRunForm } from './forms.ts';
import { type Texts, textIn } from './texts.ts';

/** Fills in the form without a trace, to see what a submission would do. */
export function TestForm({ form }: { form: StoredForm }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={open}>
        Test
      </Button>
      <FormDialog opened={opened} onClose={close} title="Test the form">
        <Submission form={form} onDone={close} />
      </FormDialog>
    </>
  );
}

const inputTypes = { email: 'email', phone: 'tel', number: 'number', date: 'date', text: 'text' } as const;

function Submission({ form: stored, onDone }: { form: StoredForm; onDone: () => void }) {
  const { fields, consents, language } = stored;
  const dryRun = useDryRunForm(stored.id);
  // By position: a name such as `attributes.plan` would be a path.
  const form = useForm<{ values: string[]; consents: string[] }>({ initialValues: { values: fields.map(() => ''), consents: [] } });
  const say = (texts: Texts) => textIn(texts, language, language);
  const test = ({ values, consents: given }: typeof form.values) =>
    dryRun.mutate({
      fields: Object.fromEntries(fields.map(({ field }, index) => [field, values[index] ?? ''])),
      consents: given,
      language,
    });
  const paths = Object.fromEntries(fields.map(({ field }, index) => [`/fields/${field}`, `values.${index}`]));
  return (
    <Form form={form} saving={dryRun} paths={paths} onSubmit={test}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          Fill it in as a visitor would. Nothing is stored, counted or sent.
        </Text>
        {fields.map(({ field, type, label, required, options }, index) => {
          const props = { label: say(label), withAsterisk: required ?? false, ...form.getInputProps(`values.${index}`) };
          if (type === 'checkbox')
            return (
              <Checkbox
                key={field}
                label={`${say(label)}${required ? ' (required)' : ''}`}
                error={form.errors[`values.${index}`]}
                checked={form.values.values[index] === 'true'}
                onChange={({ currentTarget: { checked } }) => form.setFieldValue(`values.${index}`, checked ? 'true' : '')}
              />
            );
          if (type === 'textarea') return <Textarea {...props} key={field} rows={3} />;
          if (type !== 'select') return <TextInput {...props} key={field} type={inputTypes[type]} autoComplete="off" />;
          const choices = (options ?? []).map((option) => ({ value: option.value, label: say(option.label) }));
          return <NativeSelect {...props} key={field} data={[{ value: '', label: 'Choose…' }, ...choices]} />;
        })}
        {consents.some(({ display }) => display !== 'notice') && (
          <Checkbox.Group aria-label="Consent" {...form.getInputProps('consents')}>
            <Stack gap="xs">
              {consents.map(({ key, text, display }) =>
                display === 'notice' ? null : <Checkbox key={key} value={key} label={say(text)} />,
              )}
            </Stack>
          </Checkbox.Group>
        )}
        {dryRun.data && dryRun.variables && !dryRun.isPending && (
          <Result form={stored} email={dryRun.variables.fields.email ?? ''} result={dryRun.data} />
        )}
        <FormActions submit="Test" failed="This submission would be rejected" cancel={onDone} />
      </Stack>
    </Form>
  );
}

type ResultProps = { form: StoredForm; email: string; result: FormDryRun };

/** What the submission would do, in sentences. */
function Result({ form, email, result: { contact_id, changed, consents, is_suppressed, awaits_confirmation, sends_email } }: ResultProps) {
  // Consent and tags have sentences of their own.
  const fields = changed.filter((path) => !/^(consent|tags|status)\b/.test(path)).map(fieldLabel);
  const given = consents.map(({ channel, topics }) => [channel === 'sms' ? 'SMS' : 'email', ...topics].join(' · ')).join(', ');
  const later = awaits_confirmation ? 'after the confirmation' : 'at once';
  const noEmail = form.sender === null ? 'the form has no sender' : 'this address has had three in 24 hours';
  return (
    <Alert variant="default" title="This submission would be accepted" role="status">
      <Stack gap={4}>
        <Text size="sm">
          {contact_id === null ? (
            'A contact would be created.'
          ) : (
            <>
              <TextLink to="/contacts/$id" params={{ id: contact_id }}>
                A contact
              </TextLink>{' '}
              has this address. {fields.length > 0 ? `These fields would change: ${fields.join(', ')}.` : 'Its fields would not change.'}
            </>
          )}
        </Text>
        {is_suppressed && <Text size="sm">The address is suppressed: the contact would get no consent, tags or email.</Text>}
        {!is_suppressed && (
          <Text size="sm">{given === '' ? 'No consent would be given.' : `Consent would be given ${later}: ${given}.`}</Text>
        )}
        {awaits_confirmation && (
          <Text size="sm">
            {sends_email ? `The confirmation email would go to ${email}.` : `No confirmation email would be sent: ${noEmail}.`}
          </Text>
        )}
        {!is_suppressed && form.tags.length > 0 && (
          <Text size="sm">
            Tags would be added {later}: {form.tags.join(', ')}.
          </Text>
        )}
      </Stack>
    </Alert>
  );
}
