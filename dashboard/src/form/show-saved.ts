import type { UseFormReturnType } from '@mantine/form';
import { notifications } from '@mantine/notifications';

/** Resets the form to the saved values and confirms the save. */
export function showSaved<Values>(form: UseFormReturnType<Values>, saved: Values) {
  form.setInitialValues(saved);
  form.reset();
  notifications.show({ message: 'Saved.' });
}
