import { useNavigate } from '@tanstack/react-router';
import { ContactLookup } from '../contacts/contact-lookup.tsx';
import { useTriggerWorkflow } from './workflows.ts';

/** Enrolls a contact and opens its run. */
export function TriggerWorkflow({ id }: { id: string }) {
  const navigate = useNavigate();
  const trigger = useTriggerWorkflow(id);
  const enroll = (text: string) =>
    trigger.mutate(text.startsWith('contact_') ? { contact_id: text } : { email: text }, {
      onSuccess: (runId) => void navigate({ to: '/workflows/runs/$runId', params: { runId } }),
    });
  return <ContactLookup submit="Enroll" lookup={trigger} onSubmit={enroll} />;
}
