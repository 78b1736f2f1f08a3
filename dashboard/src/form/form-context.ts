import { createContext } from 'react';

/** The state of the surrounding form, for its actions. */
export const FormContext = createContext<{ isPending: boolean; error: Error | null; shown: readonly string[] } | undefined>(undefined);

/** Set inside a dialog, which guards the edits of its form itself. */
export const DialogFormContext = createContext<((isDirty: boolean) => void) | undefined>(undefined);
