import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { BackLink, Page } from '../shell/page.tsx';
import { newContactOf } from './contact-draft.ts';
import { ContactForm } from './contact-form.tsx';
import { nameOf, useCreateContact } from './contacts.ts';

export function NewContactPage() {
  const navigate = useNavigate();
  const { mutate, isPending, error } = useCreateContact();
  return (
    <Page
      title="New contact"
      describes="Enter at least an email, a phone number or an external ID."
      back={<BackLink to="/contacts">Contacts</BackLink>}
    >
      <ContactForm
        submit="Create contact"
        failed="Couldn't create the contact"
        isPending={isPending}
        error={error}
        onSubmit={(draft) =>
          mutate(newContactOf(draft), {
            onSuccess: (contact) => {
              notifications.show({ message: `${nameOf(contact)} was created.` });
              void navigate({ to: '/contacts/$id', params: { id: contact.id }, ignoreBlocker: true });
            },
          })
        }
      />
    </Page>
  );
}
