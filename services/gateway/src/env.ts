import { services, type UpstreamName, type UrlVariable, upstreamNames, urlVariable } from '@mp/contracts/services';
import { commonEnv, formsEnv, port } from '@mp/service-kit/env';
import { z } from 'zod';
import { isAddressRange } from './credentials/ip-allow.ts';
import { InstallationProviders } from './settings/single-sign-on/installation-provider.ts';

const urlOf = (name: UpstreamName) =>
  z
    .url({ protocol: /^https?$/ })
    .default(`http://127.0.0.1:${services[name].port}`)
    .describe(`The URL of the ${name} service.`);

const upstreamUrls = Object.fromEntries(upstreamNames.map((name) => [urlVariable(name), urlOf(name)])) as Record<
  UrlVariable,
  ReturnType<typeof urlOf>
>;

const ranges = (text: string) =>
  (text.trim() === 'none' ? '' : text)
    .split(',')
    .map((range) => range.trim())
    .filter((range) => range !== '');

/** The gateway's variables. */
export const gatewayEnv = {
  ...commonEnv,
  PORT: port(services.gateway.port),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe('The public URL of the gateway; `http://localhost:PORT` by default.'),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'expected smtp://user:password@host:port or smtps://…')
    .optional()
    .meta({
      description:
        'The mail server for invitations and password reset links. Without it these emails are not sent; `npm run user` prints reset links.',
      secret: true,
    }),
  MAIL_FROM: z
    .string()
    .max(300)
    .optional()
    .describe("The sender of the gateway's own emails; `no-reply@` the host of `PUBLIC_URL` by default."),
  ACCESS_LOG_SAMPLE_RATE: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe(
      'Fraction of successful requests that the access log names, from 0 to 1. Requests with a status of 400 or more are always logged.',
    ),
  ...formsEnv,
  ...upstreamUrls,
  SINGLE_SIGN_ON_ALLOW_PRIVATE: z
    .stringbool()
    .default(false)
    .describe(
      'Lets identity providers of accounts be in the internal network; outside production also with http://. Every admin of an account ' +
        'can then find out which hosts there respond.',
    ),
  IDENTITY_PROVIDERS: InstallationProviders.optional().meta({
    description:
      'Identity providers (OpenID Connect) of the whole installation, which the sign-in page offers to everybody, as a JSON array: ' +
      '`[{"id":"acme","name":"Acme","issuer":"https://login.acme.example","client_id":"…","client_secret":"…"}]`, optionally with `scopes` and ' +
      '`email_domains`, the only domains that may sign in. The redirect URI is `PUBLIC_URL/auth/single-sign-on/ID/callback`. They may be in ' +
      'the internal network.',
    secret: true,
  }),
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
      'Comma-separated addresses and CIDR ranges of proxies whose `X-Forwarded-For` is trusted; `none` if there is no proxy. Required in production if `PUBLIC_URL` is https, because a proxy must terminate TLS.',
    ),
  HSTS_MAX_AGE: z.coerce
    .number()
    .int()
    .min(0)
    .max(63_072_000)
    .optional()
    .describe(
      'Seconds for which browsers reach the host of `PUBLIC_URL` by https only (`Strict-Transport-Security` on every response); 31536000, a year, by default if `PUBLIC_URL` is https. 0 sends no header, for a proxy that sets its own.',
    ),
  PERMISSIONS_POLICY: z
    .string()
    .max(2_000)
    .regex(/^[\x20-\x7e]*$/, 'expected visible ASCII characters')
    .default('camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()')
    .describe(
      '`Permissions-Policy` of every response: what pages of the platform cannot use. `none` sends no header, for a proxy that sets its own.',
    ),
};

/** The headers that the operator can switch off, because a proxy that terminates TLS may set them, too. */
export function securityHeaders(env: {
  PUBLIC_URL?: string | undefined;
  HSTS_MAX_AGE?: number | undefined;
  PERMISSIONS_POLICY: string;
}): Record<string, string> {
  const isHttps = env.PUBLIC_URL?.startsWith('https:') ?? false;
  // Browsers ignore the header on plain HTTP.
  const seconds = isHttps ? (env.HSTS_MAX_AGE ?? 31_536_000) : 0;
  return {
    ...(seconds > 0 && { 'strict-transport-security': `max-age=${seconds}` }),
    ...(env.PERMISSIONS_POLICY !== 'none' && { 'permissions-policy': env.PERMISSIONS_POLICY }),
  };
}

/**
 * The error if TRUSTED_PROXIES is missing, otherwise undefined. The gateway speaks plain HTTP, so an https address implies a
 * proxy; unless the proxy is trusted, limits and allow-lists see all clients as one.
 */
export function missingProxies(env: {
  NODE_ENV: string;
  PUBLIC_URL?: string | undefined;
  TRUSTED_PROXIES?: readonly string[] | undefined;
}): string | undefined {
  if (env.NODE_ENV !== 'production' || env.TRUSTED_PROXIES !== undefined || !env.PUBLIC_URL?.startsWith('https:')) return undefined;
  return 'TRUSTED_PROXIES: PUBLIC_URL is https, so a proxy must terminate TLS; set the addresses it connects from, or none.';
}

/** The error if forms have no host of their own, otherwise undefined. */
export function sharedFormsHost(env: {
  FORMS_URL?: string | undefined;
  PUBLIC_URL?: string | undefined;
  PORT: number;
}): string | undefined {
  if (env.FORMS_URL === undefined || new URL(env.FORMS_URL).host !== new URL(publicUrl(env)).host) return undefined;
  return 'FORMS_URL: expected a host other than that of PUBLIC_URL; leave it unset if forms have no host of their own.';
}

export const publicUrl = (env: { PUBLIC_URL?: string | undefined; PORT: number }) => env.PUBLIC_URL ?? `http://localhost:${env.PORT}`;

export const mailFrom = (env: { MAIL_FROM?: string | undefined; PUBLIC_URL?: string | undefined; PORT: number }) =>
  env.MAIL_FROM ?? `no-reply@${new URL(publicUrl(env)).hostname}`;
