import { Avatar } from '@mantine/core';
import { type Contact, nameOf } from './contacts.ts';

/** The initials of a contact. The name beside them says the same. */
export function ContactAvatar({ contact }: { contact: Contact }) {
  const initials = nameOf(contact)
    .split(/[\s@.]+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('');
  return (
    <Avatar size={44} radius="xl" color="indigo" aria-hidden>
      {initials.toUpperCase()}
    </Avatar>
  );
}
