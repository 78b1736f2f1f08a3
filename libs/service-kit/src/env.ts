import { parseKeyring } from '@mp/contracts/keyring';
import { z } from 'zod';

/** A variable that holds a keyring. */
export const keyring = (description: string) =>
  z
    .string()
    .superRefine((text, context) => {
      try {
        parseKeyring(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'not a keyring' });
      }
    })
    .transform(parseKeyring)
    .meta({ description: `${description} As \`kid:base64url\`, comma-separated: the first signs, all verify.`, secret: true });

/** The variables every process reads. */
export const commonEnv = {
  NODE_ENV: z
    .enum(['development', 'test', 'production'])
    .default('production')
    .describe(
      '`development` keeps mail in the local mailbox when there is no mail server; `production` refuses webhooks to private addresses.',
    ),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on; `0.0.0.0` in a container.'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least severe level that is logged.'),
  MONGODB_URL: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\//, 'expected a mongodb:// URL of a replica set')
    .meta({ description: 'MongoDB replica set, 4.0 or newer (7 or 8 recommended), without a database name.', secret: true }),
  NATS_URL: z
    .string()
    .regex(/^(nats|tls):\/\//, 'expected a nats:// URL')
    .meta({ description: 'NATS with JetStream, 2.9 or newer.', secret: true }),
  NATS_STREAM_REPLICAS: z.coerce
    .number()
    .int()
    .min(1)
    .max(5)
    .default(1)
    .describe(
      'On how many servers of a NATS cluster each stream is kept: 3 survive the loss of one. Streams that exist are changed when a service starts.',
    ),
  NATS_STREAM_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe(
      'Most bytes of one stream, of which there are seven; the oldest events go when there are more. NATS reserves them on each replica. 0 is no limit: then seven days of events decide.',
    ),
  CONSUMER_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(64)
    .describe('How many events each consumer of this process takes in at once; replicas add to each other.'),
  NAMESPACE: z
    .string()
    .regex(/^[a-z0-9_]{0,32}$/, 'expected lower-case letters, digits and _')
    .default('')
    .describe('Begins the names of databases, streams and subjects, so that several installations can share one MongoDB and one NATS.'),
  MAINTENANCE: z
    .stringbool()
    .default(false)
    .describe(
      'For the time after a restore: the service starts, reads, writes and consumes events, but nothing leaves the platform. No mail, no webhook, no ' +
        'campaign or workflow timer, no import or export.',
    ),
  CONTEXT_KEYS: keyring('Secrets that sign the call context between gateway and services.'),
  CURSOR_KEYS: keyring('Secrets that sign list cursors.'),
  METRICS_PORT: z.coerce.number().int().min(1).max(65_535).optional().describe('Port for Prometheus metrics; none when unset.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Base URL of an OTLP/HTTP collector that gets the traces, such as `http://collector:4318`; nothing is traced when unset.'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('How much of what begins here is traced, from 0 to 1; what comes with a `traceparent` follows its caller.'),
  SHUTDOWN_DELAY_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(60_000)
    .default(0)
    .describe('Milliseconds between reporting not ready and refusing connections, for load balancers to notice.'),
} as const;

export const port = (preferred: number) => z.coerce.number().int().min(0).max(65_535).default(preferred).describe('Port to listen on.');

type Shape = Record<string, z.ZodType>;

/** Reads the variables of `shape` from the environment. Prints every fault at once and exits with 1 when there is any. */
export function readEnv<S extends Shape>(shape: S, source: NodeJS.ProcessEnv = process.env): z.output<z.ZodObject<S>> {
  const given = Object.fromEntries(Object.keys(shape).map((name) => [name, source[name] === '' ? undefined : source[name]]));
  const result = z.object(shape).safeParse(given);
  if (result.success) return result.data;
  return refuseEnv(result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
}

/** Prints what is wrong with the environment and exits with 1. */
export function refuseEnv(faults: readonly string[]): never {
  const lines = faults.map((fault) => `  ${fault}\n`).join('');
  process.stderr.write(`The environment is not complete:\n${lines}Every variable is described in docs/config.md.\n`);
  process.exit(1);
}
