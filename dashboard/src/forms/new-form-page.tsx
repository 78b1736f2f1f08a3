import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { Loaded } from '../api/loaded.tsx';
import { type Brand, useBrand } from '../brand/brand.ts';
import { useFinishForm } from '../form/use-finish-form.ts';
import { NewPage } from '../page/new-page.tsx';
import { type DefaultSender, useSendingSettings } from '../sending/sending-settings.ts';
import { FormBuilder } from './form-builder.tsx';
import { formOf, newDraft } from './form-draft.ts';
import { useCreateForm } from './forms.ts';
import { validateForm } from './validate-form.ts';

export function NewFormPage() {
  const brand = useBrand();
  const settings = useSendingSettings();
  return (
    <NewPage
      title="New form"
      describes="A page with which people sign up, for links and for your website."
      list="/contacts/forms"
      of="Forms"
    >
      {(cancel) => (
        <Loaded of="the brand" shape="form" query={brand}>
          {(look) => (
            <Loaded of="the sender" shape="form" query={settings}>
              {({ default_sender }) => <NewForm brand={look} sender={default_sender} cancel={cancel} />}
            </Loaded>
          )}
        </Loaded>
      )}
    </NewPage>
  );
}

function NewForm({ brand, sender, cancel }: { brand: Brand; sender: DefaultSender | null; cancel: ReactNode }) {
  const creation = useCreateForm();
  const finish = useFinishForm();
  const form = useForm({ initialValues: newDraft(brand, sender), validate: validateForm });
  return (
    <FormBuilder
      form={form}
      saving={creation}
      kept={{ name: 'new form' }}
      submit="Create form"
      cancel={cancel}
      onSubmit={(draft) =>
        creation.mutate(formOf(draft), {
          onSuccess: ({ id, name }) => finish(`${name} was created.`, { to: '/contacts/forms/$id', params: { id } }),
        })
      }
    />
  );
}
