import { Status, type Tone } from '../page/status.tsx';
import type { Contact } from './contacts.ts';

const tones: Record<Contact['status'], Tone> = {
  active: 'good',
  unsubscribed: 'over',
  bounced: 'bad',
  complained: 'bad',
  suppressed: 'bad',
};

/** Whether the contact can be emailed. */
export const ContactStatus = ({ status }: { status: Contact['status'] }) => (
  <Status tone={tones[status]}>{status.slice(0, 1).toUpperCase() + status.slice(1)}</Status>
);
