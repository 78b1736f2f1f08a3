import { commonEnv, formsEnv, keyring, linkEnv, port } from '@mp/service-kit/env';
import { z } from 'zod';
import { mailServersOf } from './delivery/sending/smtp-servers.ts';

export const campaignsEnv = {
  ...commonEnv,
  ...linkEnv,
  ...formsEnv,
  PORT: port(4003),
  LINK_KEYS: keyring('Secrets that sign the links in emails: those to open, click and unsubscribe, and those that confirm forms.'),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'expected smtp://user:password@host:port or smtps://…')
    .optional()
    .meta({ description: 'The mail server. If unset in development, email stays in the local mailbox.', secret: true }),
  SMTP_SERVERS: z
    .string()
    .refine((text) => mailServersOf(text) !== undefined, 'expected smtp://user:password@host:port or smtps://…, separated by spaces')
    .optional()
    .meta({
      description:
        'Several mail servers for campaigns instead of SMTP_URL, separated by spaces. Each takes its share of the emails, by `?weight=` (1 by default), and those of one that is unavailable.',
      secret: true,
    }),
  SMTP_CONNECTIONS: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(10)
    .describe('The maximum number of connections to each mail server per process.'),
  BOUNCE_DOMAIN: z
    .string()
    .regex(/^([a-z0-9-]+\.)+[a-z]{2,}$/, 'expected a domain such as bounces.example.com')
    .optional()
    .describe(
      'The domain of return paths. Its MX record points to BOUNCE_PORT of this service, which receives bounces and complaints. If unset, bounces go to the sender of each email.',
    ),
  BOUNCE_PORT: port(2525).describe('The port that receives bounces and complaints by SMTP, if BOUNCE_DOMAIN is set.'),
  SPF_INCLUDE: z
    .string()
    .regex(/^([a-z0-9_-]+\.)+[a-z]{2,}$/, 'expected a name such as _spf.example.com')
    .optional()
    .describe('The SPF record of the mail server, which the SPF records of sending domains should include.'),
  REQUIRE_VERIFIED_SENDERS: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .describe('Whether emails can only be sent from verified domains.'),
  MAILBOX_DIR: z.string().optional().describe('The directory of the local mailbox in development; `.data/mail` in the checkout if unset.'),
};

/** Exits if no mail server is configured, except in development, which uses the local mailbox. */
export function requireMailServer<Env extends { NODE_ENV: string; SMTP_URL?: string | undefined; SMTP_SERVERS?: string | undefined }>(
  env: Env,
): Env {
  if (env.SMTP_URL !== undefined || env.SMTP_SERVERS !== undefined || env.NODE_ENV === 'development') return env;
  process.stderr.write('SMTP_URL is required, except with NODE_ENV=development, where email stays in the local mailbox.\n');
  process.exit(1);
}
