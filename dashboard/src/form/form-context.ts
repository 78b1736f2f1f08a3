import { createContext } from 'react';

type FormState = {
  /** Whether it saves, and takes no edits meanwhile. */
  isPending: boolean;
  /** Whether it saves, even if by itself. */
  isSaving: boolean;
  error: Error | null;
  shown: readonly string[];
  isDirty: boolean;
  /** Whether it edits what exists, and not something new. */
  isStored: boolean;
  /** Shows both versions, if another one was saved elsewhere. */
  compare: (() => void) | undefined;
  /** Saves what is typed; resolves to whether everything is saved. Otherwise the errors are shown. */
  saveFirst: () => Promise<boolean>;
};

/** The state of the surrounding form, for its actions. */
export const FormContext = createContext<FormState | undefined>(undefined);

/** Set inside a dialog, which guards the edits of its form itself. */
export const DialogFormContext = createContext<((isDirty: boolean) => void) | undefined>(undefined);
