import { Skeleton } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { BackLink, Page } from '../shell/page.tsx';
import { changeOf } from './contact-draft.ts';
import { ContactForm } from './contact-form.tsx';
import { type Contact, nameOf, useContact, useUpdateContact } from './contacts.ts';

export function EditContactPage() {
  const { id } = useParams({ from: '/signed-in/contacts/$id/edit' });
  const { data: contact, error, refetch } = useContact(id);
  return (
    <Page
      title={contact ? `Edit ${nameOf(contact)}` : 'Edit contact'}
      back={
        <BackLink to="/contacts/$id" params={{ id }}>
          Contact
        </BackLink>
      }
    >
      {error && <ErrorAlert error={error} title="Couldn't load the contact" onRetry={() => void refetch()} />}
      {!contact && !error && <Skeleton height={320} role="status" aria-label="Loading the contact" />}
      {contact && <Edit contact={contact} />}
    </Page>
  );
}

function Edit({ contact }: { contact: Contact }) {
  const navigate = useNavigate();
  // Keeps the revision that was opened, so that the API rejects the update if the contact has changed since.
  const [opened] = useState(contact);
  const { mutate, isPending, error } = useUpdateContact(opened);
  return (
    <ContactForm
      contact={opened}
      submit="Save"
      failed="Couldn't update the contact"
      isPending={isPending}
      error={error}
      onSubmit={(draft) =>
        mutate(changeOf(opened, draft), {
          onSuccess: ({ id }) => {
            notifications.show({ message: 'Saved.' });
            void navigate({ to: '/contacts/$id', params: { id }, ignoreBlocker: true });
          },
        })
      }
    />
  );
}
