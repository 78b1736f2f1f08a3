import { createContext, use } from 'react';

/** `open` calls back with the ID of the segment that was created. */
type SegmentDialog = { isOpen: boolean; open: (onCreated: (segmentId: string) => void) => void };

export const SegmentDialogContext = createContext<SegmentDialog | undefined>(undefined);

/** The dialog in which the segment of the trigger is created. */
export function useSegmentDialog(): SegmentDialog {
  const dialog = use(SegmentDialogContext);
  if (!dialog) throw new Error('Must be used inside SegmentDialogProvider');
  return dialog;
}
