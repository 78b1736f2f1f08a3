import { Button, Stack, TagsInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { required } from '../form/required.ts';
import { SecretDialog } from '../secrets/secret-dialog.tsx';
import { usePermission } from '../session/permission.ts';
import { SiteSnippet } from './site-snippet.tsx';
import { type NewSite, useCreateSite } from './sites.ts';

/** Adds a website, then shows the snippet for its pages. */
export function CreateSite() {
  const { mayWrite } = usePermission();
  const [opened, { open, close: onClose }] = useDisclosure(false);
  const creation = useCreateSite();
  if (!mayWrite) return null;
  return (
    <>
      <Button onClick={open}>Add your website</Button>
      <SecretDialog
        opened={opened}
        onClose={onClose}
        title="Add your website"
        shownTitle="Add the snippet to your pages"
        creation={creation}
        shown={(site, onStored) => <SiteSnippet site={site} onStored={onStored} />}
      >
        {(close) => <NewSiteForm saving={creation} onSubmit={creation.mutate} onCancel={close} />}
      </SecretDialog>
    </>
  );
}

type Props = {
  saving: { isPending: boolean; error: Error | null };
  onSubmit: (wanted: NewSite) => void;
  onCancel: () => void;
};

function NewSiteForm({ saving, onSubmit, onCancel }: Props) {
  const form = useForm({
    initialValues: { name: '', origins: Array.of<string>() },
    validate: {
      name: required('Enter a name.'),
      origins: (origins) => (origins.length === 0 ? 'Enter the address of your website.' : null),
    },
  });
  return (
    <Form form={form} saving={saving} onSubmit={onSubmit}>
      <Stack gap="lg">
        <TextInput data-autofocus label="Name" placeholder="Shop" autoComplete="off" {...form.getInputProps('name')} />
        <TagsInput
          label="Website addresses"
          description="Such as https://shop.example.com or https://*.example.com. Press Enter after each."
          acceptValueOnBlur
          {...form.getInputProps('origins')}
        />
        <FormActions submit="Add website" failed="Couldn't add the website" cancel={onCancel} />
      </Stack>
    </Form>
  );
}
