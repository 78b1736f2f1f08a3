import type { Keyring } from '@mp/contracts/keyring';
import { commonEnv, formsEnv, keyring, linkEnv, port } from '@mp/service-kit/env';

export const contactsEnv = {
  ...commonEnv,
  ...linkEnv,
  ...formsEnv,
  PORT: port(4001),
  LINK_KEYS: keyring('Secrets that sign the links in emails: those to open, click and unsubscribe, and those that confirm forms.'),
};

export type ContactsConfig = { LINK_KEYS: Keyring; PUBLIC_URL: string; FORMS_URL?: string | undefined };
