import { parseKeyring } from '@mp/contracts/keyring';
import { z } from 'zod';

/** The schema of a variable that holds a keyring. */
export const keyring = (description: string) =>
  z
    .string()
    .superRefine((text, context) => {
      try {
        parseKeyring(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'expected a keyring' });
      }
    })
    .transform(parseKeyring)
    .meta({ description: `${description} Format: \`kid:base64url\`, comma-separated; the first signs, all verify.`, secret: true });

const file = (content: string) => z.string().optional().describe(`Path of ${content}`);

const baseUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));

/** The variables of services that make links. */
export const linkEnv = {
  PUBLIC_URL: baseUrl
    .default('http://localhost:8080')
    .describe('The URL at which recipients and visitors reach the gateway; links in emails start with it.'),
} as const;

export const formsEnv = {
  FORMS_URL: baseUrl
    .optional()
    .describe(
      'The URL of hosted forms, on a host of its own, such as `https://forms.example.com`: their pages then share no origin with the dashboard. ' +
        'This host serves forms and nothing else, and the host of `PUBLIC_URL` serves none. By default, forms are part of `PUBLIC_URL`.',
    ),
} as const;

/** The environment variables of every process. */
export const commonEnv = {
  NODE_ENV: z
    .enum(['development', 'test', 'production'])
    .default('production')
    .describe(
      '`development` stores emails in the local mailbox when there is no mail server; `production` rejects webhooks to private addresses.',
    ),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on; `0.0.0.0` in a container.'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info').describe('Minimum level of log lines.'),
  MONGODB_URL: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\//, 'expected a mongodb:// URL of a replica set')
    .meta({ description: 'MongoDB replica set, 4.0 or newer (7 or 8 recommended), without a database name.', secret: true }),
  NATS_URL: z
    .string()
    .regex(/^(nats|tls):\/\//, 'expected a nats:// URL')
    .meta({ description: 'NATS with JetStream, 2.9 or newer.', secret: true }),
  NATS_CREDS_FILE: file('a file with the credentials for NATS (a JWT and its seed), instead of a user in `NATS_URL`.'),
  NATS_CA_FILE: file('the CA of NATS, instead of the public ones. Connections without TLS are then rejected.'),
  NATS_CERT_FILE: file('the client certificate for NATS.'),
  NATS_KEY_FILE: file('the key of the client certificate for NATS.'),
  NATS_STREAM_REPLICAS: z.coerce
    .number()
    .int()
    .min(1)
    .max(5)
    .default(1)
    .describe(
      'Replicas of each stream in a NATS cluster; with 3, a stream survives the loss of one server. ' +
        'Existing streams are updated when a service starts.',
    ),
  NATS_STREAM_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe(
      'Maximum size of each of the seven streams in bytes. NATS reserves it on every replica and deletes the oldest events beyond it. ' +
        '0: no limit; streams then keep seven days of events.',
    ),
  CONSUMER_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(64)
    .describe('How many events each consumer of this process handles concurrently. Each replica has its own limit.'),
  NAMESPACE: z
    .string()
    .regex(/^[a-z0-9_]{0,32}$/, 'expected lower-case letters, digits and _')
    .default('')
    .describe('Prefix of the names of databases, streams and subjects, so that several installations can share one MongoDB and one NATS.'),
  MAINTENANCE: z
    .stringbool()
    .default(false)
    .describe(
      'For use after a restore: the service starts, reads, writes and consumes events, but nothing leaves the platform: no email, ' +
        'webhook, campaign or workflow timer, import or export.',
    ),
  CONTEXT_KEYS: keyring('Secrets that sign the call context between gateway and services.'),
  CURSOR_KEYS: keyring('Secrets that sign list cursors.'),
  METRICS_PORT: z.coerce.number().int().min(1).max(65_535).optional().describe('Port for Prometheus metrics; disabled when unset.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Base URL of the OTLP/HTTP collector for traces, such as `http://collector:4318`; tracing is disabled when unset.'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Fraction of new traces that are recorded, from 0 to 1. Requests with a `traceparent` follow the decision of their caller.'),
  SHUTDOWN_DELAY_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(60_000)
    .default(0)
    .describe('Milliseconds between reporting not ready and refusing connections, so that load balancers can react.'),
} as const;

export const port = (preferred: number) => z.coerce.number().int().min(0).max(65_535).default(preferred).describe('Port to listen on.');

type Shape = Record<string, z.ZodType>;

/** Reads the variables of `shape` from the environment. Prints all problems and exits with 1 when there are any. */
export function readEnv<S extends Shape>(shape: S, source: NodeJS.ProcessEnv = process.env): z.output<z.ZodObject<S>> {
  const given = Object.fromEntries(Object.keys(shape).map((name) => [name, source[name] === '' ? undefined : source[name]]));
  const result = z.object(shape).safeParse(given);
  if (result.success) return result.data;
  return refuseEnv(result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
}

/** Prints the problems with the environment and exits with 1. */
export function refuseEnv(faults: readonly string[]): never {
  const lines = faults.map((fault) => `  ${fault}\n`).join('');
  process.stderr.write(`The environment is invalid or incomplete:\n${lines}docs/config.md describes every variable.\n`);
  process.exit(1);
}
