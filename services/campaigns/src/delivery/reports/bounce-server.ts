import type { Keyring } from '@mp/contracts/keyring';
import type { Logger } from '@mp/service-kit/logger';
import { TaskTooLarge } from '@mp/templates/template-threads';
import type { Templates } from '@mp/templates/templates';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { readLink } from '../../content/links/link-token.ts';
import type { RecordFeedback } from '../feedback/record-feedback.ts';
import type readReport from './read-report.ts';
import { readReturnPath } from './return-path.ts';

type Config = { domain: string; port: number; host?: string };
type Deps = { linkKeys: Keyring; feedback: Pick<RecordFeedback, 'record'>; logger: Logger } & Pick<Templates, 'run'>;

const readModule = new URL('./read-report.ts', import.meta.url);

/** Anybody can send reports. For the threads, they are one account, which takes turns with the others. */
const reports = 'reports';

/** More of a report is not read; what matters comes before the original email. */
const maxRead = 262_144;
/** Addresses and links of a complaint that are looked at: any of its original email will do. */
const maxSigned = 100;
const maxClients = 50;

/** Mailbox providers send complaints to this address. */
const complaints = 'complaints';

const refusal = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });

/**
 * The mail server for reports about emails: bounces at their signed return paths, and complaints. It accepts nothing else, and
 * stores nothing of what it reads.
 */
export function createBounceServer({ domain, port, host = '0.0.0.0' }: Config, { linkKeys, feedback, logger, run }: Deps) {
  const listening = Promise.withResolvers<number>();
  const isComplaints = (address: string) => address.toLowerCase() === `${complaints}@${domain}`;

  /** The email that a complaint is about, by the signed return path or unsubscribe link in it. */
  function complainedAbout(about: string) {
    for (const [address] of [...about.matchAll(/\bb[0-9a-z]{52}[0-9a-v]{10}@/gi)].slice(0, maxSigned)) {
      const returned = readReturnPath(linkKeys, address);
      if (returned) return returned;
    }
    for (const [, token = ''] of [...about.matchAll(/\/t\/([\w.-]{40,200})/g)].slice(0, maxSigned)) {
      const link = readLink(linkKeys, token);
      if (link) return link;
    }
    return undefined;
  }

  async function receive(stream: SMTPServerDataStream, { envelope, id }: SMTPServerSession) {
    const report = await run<typeof readReport>(reports, readModule, await startOf(stream)).catch((error: unknown) => {
      if (!(error instanceof TaskTooLarge)) throw error;
    });
    if (!report) return;
    const named =
      report.kind === 'complained'
        ? [complainedAbout(report.about)]
        : envelope.rcptTo.map(({ address }) => readReturnPath(linkKeys, address));
    for (const returned of named) {
      if (!returned) continue;
      const { accountId, recipientId } = returned;
      const outcome = { hard: report.kind === 'bounced' && report.hard, detail: report.kind === 'bounced' ? report.detail : null };
      const one = { id: `report ${recipientId} ${report.id}`, recipientId, kind: report.kind, ...outcome, at: new Date() };
      await feedback.record(accountId, one, id);
    }
  }

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    maxClients,
    socketTimeout: 60_000,
    onRcptTo({ address }, { envelope }, done) {
      if (envelope.rcptTo.length > 10) return done(refusal(452, '4.5.3 Too many recipients'));
      done(isComplaints(address) || readReturnPath(linkKeys, address) ? null : refusal(550, '5.1.1 No such address'));
    },
    onData(stream, session, done) {
      receive(stream, session).then(
        () => done(),
        (error: unknown) => {
          logger.warn({ err: error }, 'cannot record a bounce or complaint; the server that reported it will retry');
          done(refusal(451, '4.3.0 Try again later'));
        },
      );
    },
  });
  server.on('error', (err: Error) => logger.debug({ err }, 'a connection to the bounce server failed'));

  return {
    /** Resolves to the port once it listens. */
    port: () => listening.promise,

    start() {
      const listener = server.listen(port, host, () => {
        const address = listener.address();
        if (address && typeof address === 'object') listening.resolve(address.port);
      });
    },

    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** Reads the whole stream and keeps its beginning. */
async function startOf(stream: SMTPServerDataStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    if (size < maxRead) chunks.push(bytes.subarray(0, maxRead - size));
    size += bytes.length;
  }
  return Buffer.concat(chunks);
}
