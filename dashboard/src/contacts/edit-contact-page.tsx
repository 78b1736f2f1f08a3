import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Loaded } from '../api/loaded.tsx';
import { useFinishForm } from '../form/use-finish-form.ts';
import { ButtonLink } from '../shell/button-link.tsx';
import { BackLink, Page } from '../shell/page.tsx';
import { changeOf } from './contact-draft.ts';
import { ContactForm } from './contact-form.tsx';
import { type Contact, nameOf, useContact, useUpdateContact } from './contacts.ts';

export function EditContactPage() {
  const { id } = useParams({ from: '/signed-in/contacts/$id/edit' });
  const query = useContact(id);
  return (
    <Page
      title={query.data ? `Edit ${nameOf(query.data)}` : 'Edit contact'}
      back={
        <BackLink to="/contacts/$id" params={{ id }}>
          Contact
        </BackLink>
      }
    >
      <Loaded of="the contact" query={query}>
        {(contact) => <Edit contact={contact} />}
      </Loaded>
    </Page>
  );
}

function Edit({ contact }: { contact: Contact }) {
  const finish = useFinishForm();
  // Keeps the revision that was opened, so that the API rejects the update if the contact has changed since.
  const [opened] = useState(contact);
  const { id } = opened;
  const update = useUpdateContact(opened);
  return (
    <ContactForm
      contact={opened}
      submit="Save"
      failed="Couldn't update the contact"
      saving={update}
      cancel={
        <ButtonLink to="/contacts/$id" params={{ id }} variant="default">
          Cancel
        </ButtonLink>
      }
      onSubmit={(draft) =>
        update.mutate(changeOf(opened, draft), { onSuccess: () => finish('Saved.', { to: '/contacts/$id', params: { id } }) })
      }
    />
  );
}
