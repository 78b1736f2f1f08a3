import { useForm } from '@mantine/form';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { EditorBack, LoadedEditor } from '../editor/editor-frame.tsx';
import { Status } from '../page/status.tsx';
import { usePermission } from '../session/permission.ts';
import { FormBuilder } from './form-builder.tsx';
import { draftOf, formOf } from './form-draft.ts';
import { FormVersions } from './form-versions.tsx';
import { type Form, useStoredForm, useUpdateForm } from './forms.ts';
import { validateForm } from './validate-form.ts';

export function EditFormPage() {
  const { id } = useParams({ from: '/signed-in/contacts/forms/$id/edit' });
  const query = useStoredForm(id);
  return (
    <LoadedEditor of="the form" query={query} title="Edit form" back={<EditorBack to="/contacts/forms/$id" params={{ id }} />}>
      {(stored) => <Edit key={id} stored={stored} load={() => query.refetch({ throwOnError: true })} />}
    </LoadedEditor>
  );
}

type Props = { stored: Form; load: () => Promise<{ data: Form | undefined }> };

/** Changes a form. Another change in the meantime is not overwritten. */
function Edit({ stored, load }: Props) {
  const { id, name, status } = stored;
  const [revision, setRevision] = useState(stored.revision);
  const form = useForm({ initialValues: draftOf(stored), validate: validateForm });
  const update = useUpdateForm(id);
  const { mayWrite } = usePermission();
  const isLive = status === 'active';
  return (
    <FormBuilder
      title={`Edit ${name}`}
      back={<EditorBack to="/contacts/forms/$id" params={{ id }} />}
      status={<Status tone={isLive ? 'good' : 'over'}>{isLive ? 'Active' : 'Archived'}</Status>}
      live={isLive ? 'Saving changes the form that visitors see.' : undefined}
      more={<FormVersions form={stored} onRestore={mayWrite ? form.setValues : undefined} />}
      form={form}
      saving={update}
      kept={{
        name: `form ${id}`,
        stored: {
          revision,
          onRevision: setRevision,
          current: async () => {
            const { data = stored } = await load();
            return { values: draftOf(data), revision: data.revision };
          },
        },
      }}
      submit={mayWrite ? 'Save' : undefined}
      onSubmit={(draft) =>
        update.mutate(
          { change: formOf(draft), revision },
          {
            onSuccess: (saved) => {
              setRevision(saved.revision);
              const values = draftOf(saved);
              form.setValues(values);
              form.resetDirty(values);
            },
          },
        )
      }
    />
  );
}
