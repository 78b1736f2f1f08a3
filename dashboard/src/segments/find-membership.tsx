import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useApi } from '../api/api.ts';
import { ContactLookup } from '../contacts/contact-lookup.tsx';
import { findContact } from '../contacts/contacts.ts';

/** Finds a contact by email or ID and opens the explanation of its membership. */
export function FindMembership({ segmentId }: { segmentId: string }) {
  const api = useApi();
  const navigate = useNavigate();
  const lookup = useMutation({
    mutationFn: async (text: string) => (text.startsWith('contact_') ? text : (await findContact(api, text)).id),
    onSuccess: (contactId) => navigate({ to: '/segments/$id/contacts/$contactId', params: { id: segmentId, contactId } }),
  });
  return <ContactLookup submit="Check" lookup={lookup} onSubmit={lookup.mutate} />;
}
