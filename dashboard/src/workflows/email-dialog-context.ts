import { createContext, use } from 'react';

/** The email of a step or of one of its variants. */
export type StepEmail = {
  stepId: string;
  /** Its template; undefined for a new one. */
  templateId: string | undefined;
  onSaved: (templateId: string) => void;
};

type EmailDialog = { isOpen: boolean; open: (email: StepEmail) => void };

export const EmailDialogContext = createContext<EmailDialog | undefined>(undefined);

/** The dialog in which the emails of the workflow are written. */
export function useEmailDialog(): EmailDialog {
  const dialog = use(EmailDialogContext);
  if (!dialog) throw new Error('Must be used inside EmailDialogProvider');
  return dialog;
}
