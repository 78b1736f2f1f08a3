import { commonEnv, keyring, port } from '@mp/service-kit/env';
import { z } from 'zod';

export const campaignsEnv = {
  ...commonEnv,
  PORT: port(4003),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .default('http://localhost:8080')
    .describe('The address under which receivers of mail reach the gateway; links in mails begin with it.'),
  LINK_KEYS: keyring('Secrets that sign the open, click and unsubscribe links in mails.'),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'expected smtp://user:password@host:port or smtps://…')
    .optional()
    .meta({ description: 'The mail server. In development, without it, mail stays in the local mailbox.', secret: true }),
  SMTP_CONNECTIONS: z.coerce.number().int().min(1).max(100).default(10).describe('Connections to the mail server per process.'),
  MAILBOX_DIR: z
    .string()
    .optional()
    .describe('Where the local mailbox of development keeps what it catches; `.data/mail` of the checkout when unset.'),
};

/** Mail that stays on the machine is for development only; elsewhere the service does not start without a mail server. */
export function requireMailServer<Env extends { NODE_ENV: string; SMTP_URL?: string | undefined }>(env: Env): Env {
  if (env.SMTP_URL !== undefined || env.NODE_ENV === 'development') return env;
  process.stderr.write('SMTP_URL is needed: without it mail stays in the local mailbox, which only NODE_ENV=development has.\n');
  process.exit(1);
}
