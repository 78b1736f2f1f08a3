import { useParams } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { Loaded } from '../api/loaded.tsx';
import { type Contact, nameOf, useContact, useUpdateContact } from '../contacts/contacts.ts';
import { useFinishForm } from '../form/use-finish-form.ts';
import { ButtonLink } from '../page/button-link.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { changeOf, draftOf } from './contact-draft.ts';
import { ContactForm } from './contact-form.tsx';

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
      <Loaded of="the contact" shape="form" query={query}>
        {(contact) => <Edit contact={contact} load={() => query.refetch({ throwOnError: true })} />}
      </Loaded>
    </Page>
  );
}

function Edit({ contact, load }: { contact: Contact; load: () => Promise<{ data: Contact | undefined }> }) {
  const finish = useFinishForm();
  // Keeps the contact that was opened, so that the API rejects the update if it has changed since.
  const [base, setBase] = useState(contact);
  const latest = useRef(contact);
  const { id } = base;
  const update = useUpdateContact(base);
  return (
    <ContactForm
      contact={base}
      submit="Save"
      failed="Couldn't update the contact"
      saving={update}
      stored={{
        revision: base.revision,
        onRevision: () => setBase(latest.current),
        current: async () => {
          latest.current = (await load()).data ?? contact;
          return { values: draftOf(latest.current), revision: latest.current.revision };
        },
      }}
      cancel={
        <ButtonLink to="/contacts/$id" params={{ id }} variant="default">
          Cancel
        </ButtonLink>
      }
      onSubmit={(draft) =>
        update.mutate(changeOf(base, draft), { onSuccess: () => finish('Saved.', { to: '/contacts/$id', params: { id } }) })
      }
    />
  );
}
