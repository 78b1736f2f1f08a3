import type { Keyring } from '@mp/contracts/keyring';
import { commonEnv, keyring, port } from '@mp/service-kit/env';

export const contactsEnv = {
  ...commonEnv,
  PORT: port(4001),
  LINK_KEYS: keyring('Secrets that sign the links in emails: those to open, click and unsubscribe, and those that confirm forms.'),
};

export type ContactsConfig = { LINK_KEYS: Keyring };
