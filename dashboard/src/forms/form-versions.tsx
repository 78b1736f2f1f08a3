import { Versions } from '../editor/versions.tsx';
import { counted } from '../numbers/format-number.ts';
import { draftOf, type FormDraft } from './form-draft.ts';
import { FormPreview } from './form-preview.tsx';
import { type Form, useFormVersions } from './forms.ts';

type Props = {
  form: Form;
  /** Puts the content of a version into the builder; nothing is saved yet. */
  onRestore: ((content: Partial<FormDraft>) => void) | undefined;
};

/** The name, the look and the limits have no versions, and stay as they are. */
function contentOf(draft: FormDraft): Partial<FormDraft> {
  const { name: _, look: _look, allowed_origins: _origins, captcha: _captcha, reject_disposable_addresses: _rejects, ...content } = draft;
  return content;
}

/** The versions of a form, each as visitors saw it, in today's look. */
export const FormVersions = ({ form, onRestore }: Props) => (
  <Versions
    id={form.id}
    current={form.version}
    useVersions={useFormVersions}
    note={({ fields }) => ` · ${counted(fields.length, 'field')}`}
    show={(version) => <FormPreview draft={draftOf({ ...form, ...version })} language={version.language} />}
    onRestore={onRestore && ((version) => onRestore(contentOf(draftOf({ ...form, ...version }))))}
  />
);
