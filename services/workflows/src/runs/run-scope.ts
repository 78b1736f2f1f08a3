import type { Contact } from '@mp/contracts/contact';
import { contactScope } from '@mp/templates/fields';
import type { PlaceholderScope } from '../workflows/placeholders.ts';
import type { Run } from './run.ts';

type Scoped = Pick<Run, 'id' | 'workflow_id' | 'contact_id' | 'data' | 'responses'>;

/** What the placeholders of a step can read. Without the contact, only its id. */
export const runScope = ({ id, workflow_id, contact_id, data, responses }: Scoped, contact: Contact | null = null): PlaceholderScope => ({
  contact: { ...(contact && contactScope(contact)), id: contact_id },
  run: { id },
  workflow: { id: workflow_id },
  data,
  responses,
});
