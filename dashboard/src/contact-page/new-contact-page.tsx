import { nameOf, useCreateContact } from '../contacts/contacts.ts';
import { useFinishForm } from '../form/use-finish-form.ts';
import { NewPage } from '../page/new-page.tsx';
import { newContactOf } from './contact-draft.ts';
import { ContactForm } from './contact-form.tsx';

export function NewContactPage() {
  const finish = useFinishForm();
  const creation = useCreateContact();
  return (
    <NewPage title="New contact" describes="Enter at least an email, a phone number or an external ID." list="/contacts" of="Contacts">
      {(cancel) => (
        <ContactForm
          submit="Create contact"
          failed="Couldn't create the contact"
          saving={creation}
          cancel={cancel}
          onSubmit={(draft) =>
            creation.mutate(newContactOf(draft), {
              onSuccess: (contact) => finish(`${nameOf(contact)} was created.`, { to: '/contacts/$id', params: { id: contact.id } }),
            })
          }
        />
      )}
    </NewPage>
  );
}
