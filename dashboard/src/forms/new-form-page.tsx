import { useForm } from '@mantine/form';
import { type Brand, useBrand } from '../brand/brand.ts';
import { EditorBack, LoadedEditor } from '../editor/editor-frame.tsx';
import { useFinishForm } from '../form/use-finish-form.ts';
import { type DefaultSender, useSendingSettings } from '../sending/sending-settings.ts';
import { FormBuilder } from './form-builder.tsx';
import { formOf, newDraft } from './form-draft.ts';
import { useCreateForm } from './forms.ts';
import { validateForm } from './validate-form.ts';

const editor = { title: 'New form', back: <EditorBack to="/contacts/forms" /> };

export function NewFormPage() {
  const brand = useBrand();
  const settings = useSendingSettings();
  return (
    <LoadedEditor of="the brand" query={brand} {...editor}>
      {(look) => (
        <LoadedEditor of="the sender" query={settings} {...editor}>
          {({ default_sender }) => <NewForm brand={look} sender={default_sender} />}
        </LoadedEditor>
      )}
    </LoadedEditor>
  );
}

function NewForm({ brand, sender }: { brand: Brand; sender: DefaultSender | null }) {
  const creation = useCreateForm();
  const finish = useFinishForm();
  const form = useForm({ initialValues: newDraft(brand, sender), validate: validateForm });
  return (
    <FormBuilder
      {...editor}
      form={form}
      saving={creation}
      kept={{ name: 'new form' }}
      submit="Create form"
      onSubmit={(draft) =>
        creation.mutate(formOf(draft), {
          onSuccess: ({ id, name }) => finish(`${name} was created.`, { to: '/contacts/forms/$id', params: { id } }),
        })
      }
    />
  );
}
