import type { UseFormReturnType } from '@mantine/form';
import { notifications } from '@mantine/notifications';

/** After a save: the form shows the stored values, from which later changes count. */
export function showSaved<Values>(form: UseFormReturnType<Values>, saved: Values) {
  form.setInitialValues(saved);
  form.reset();
  notifications.show({ message: 'Saved.' });
}
