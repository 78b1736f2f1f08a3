import { commonEnv, port } from '@mp/service-kit/env';
import { z } from 'zod';
import { isAddressRange } from './credentials/ip-allow.ts';

const service = (name: string, preferred: number) =>
  z
    .url({ protocol: /^https?$/ })
    .default(`http://127.0.0.1:${preferred}`)
    .describe(`Where the ${name} service answers.`);

const ranges = (text: string) =>
  (text.trim() === 'none' ? '' : text)
    .split(',')
    .map((range) => range.trim())
    .filter((range) => range !== '');

/** The gateway's variables. */
export const gatewayEnv = {
  ...commonEnv,
  PORT: port(8080),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe('The address under which people and programs reach the gateway; `http://localhost:PORT` when unset.'),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'expected smtp://user:password@host:port or smtps://…')
    .optional()
    .meta({
      description:
        "The mail server for the gateway's own mails: invitations and links for forgotten passwords. Without it nobody is mailed; `npm run user` makes links.",
      secret: true,
    }),
  MAIL_FROM: z
    .string()
    .max(300)
    .optional()
    .describe("The sender of the gateway's own mails; `no-reply@` the host of `PUBLIC_URL` when unset."),
  CONTACTS_URL: service('contacts', 4001),
  SEGMENTS_URL: service('segments', 4002),
  CAMPAIGNS_URL: service('campaigns', 4003),
  LEADPULSE_URL: service('leadpulse', 4004),
  WORKFLOWS_URL: service('workflows', 4005),
  TRUSTED_PROXIES: z
    .string()
    .superRefine((text, context) => {
      for (const range of ranges(text)) {
        if (!isAddressRange(range)) context.addIssue({ code: 'custom', message: `${range} is neither an address nor a CIDR range` });
      }
    })
    .transform(ranges)
    .optional()
    .describe(
      'Addresses and CIDR ranges, comma-separated, of proxies whose `X-Forwarded-For` is believed; `none`: there is no proxy. In production it must be set where `PUBLIC_URL` is https, because a proxy ends TLS then.',
    ),
};

/**
 * What is missing: the gateway speaks HTTP, so an https address has a proxy in front, and without its address everybody is
 * one client to limits and allow-lists.
 */
export function missingProxies(env: {
  NODE_ENV: string;
  PUBLIC_URL?: string | undefined;
  TRUSTED_PROXIES?: readonly string[] | undefined;
}): string | undefined {
  if (env.NODE_ENV !== 'production' || env.TRUSTED_PROXIES !== undefined || !env.PUBLIC_URL?.startsWith('https:')) return undefined;
  return 'TRUSTED_PROXIES: PUBLIC_URL is https, so a proxy in front ends TLS; set the addresses from which it reaches the gateway, or none.';
}

export const publicUrl = (env: { PUBLIC_URL?: string | undefined; PORT: number }) => env.PUBLIC_URL ?? `http://localhost:${env.PORT}`;
