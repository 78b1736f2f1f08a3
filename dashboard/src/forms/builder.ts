import type { UseFormReturnType } from '@mantine/form';
import type { FormDraft } from './form-draft.ts';
import type { Language } from './texts.ts';

/** What every part of the builder needs: the form, and the language in which its texts are edited. */
export type BuilderProps = { form: UseFormReturnType<FormDraft>; language: Language };
