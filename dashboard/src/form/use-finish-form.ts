import { notifications } from '@mantine/notifications';
import { type NavigateOptions, useNavigate } from '@tanstack/react-router';

/** Leaves a form that has been saved: goes to another page, without asking about unsaved changes, and says what happened. */
export function useFinishForm() {
  const navigate = useNavigate();
  return (message: string, to: NavigateOptions) => {
    notifications.show({ message });
    void navigate({ ...to, ignoreBlocker: true });
  };
}
