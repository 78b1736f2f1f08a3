import { nameOf, useCreateContact } from '../contacts/contacts.ts';
import { useFinishForm } from '../form/use-finish-form.ts';
import { ButtonLink } from '../page/button-link.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { newContactOf } from './contact-draft.ts';
import { ContactForm } from './contact-form.tsx';

export function NewContactPage() {
  const finish = useFinishForm();
  const creation = useCreateContact();
  return (
    <Page
      title="New contact"
      describes="Enter at least an email, a phone number or an external ID."
      back={<BackLink to="/contacts">Contacts</BackLink>}
    >
      <ContactForm
        submit="Create contact"
        failed="Couldn't create the contact"
        saving={creation}
        cancel={
          <ButtonLink to="/contacts" variant="default">
            Cancel
          </ButtonLink>
        }
        onSubmit={(draft) =>
          creation.mutate(newContactOf(draft), {
            onSuccess: (contact) => finish(`${nameOf(contact)} was created.`, { to: '/contacts/$id', params: { id: contact.id } }),
          })
        }
      />
    </Page>
  );
}
