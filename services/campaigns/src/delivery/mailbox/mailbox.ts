import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Logger } from '@mp/service-kit/logger';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { z } from 'zod';

const Caught = z.object({ id: z.uuid(), at: z.iso.datetime(), from: z.string(), to: z.string(), subject: z.string(), bytes: z.number() });
export type Caught = z.infer<typeof Caught>;

/** In the checkout's `.data` folder, with the other development data. */
const checkoutFolder = join(import.meta.dirname, '../../../../.data/mail');

export type Mailbox = ReturnType<typeof createMailbox>;

/**
 * The mail server for development. It listens on this machine only, accepts every email and delivers none; each is stored
 * as a file, with one line in an index.
 */
export function createMailbox({ dir = checkoutFolder, page, logger }: { dir?: string | undefined; page: string; logger: Logger }) {
  const listening = Promise.withResolvers<string>();
  const index = join(dir, 'index.ndjson');
  const fileOf = (id: string) => join(dir, `${id}.eml`);

  async function keep(stream: SMTPServerDataStream, { envelope }: SMTPServerSession) {
    const raw = await buffer(stream);
    const headersEnd = raw.indexOf('\r\n\r\n');
    const { subject = '' } = await PostalMime.parse(raw.subarray(0, headersEnd < 0 ? raw.length : headersEnd + 4));
    const caught: Caught = {
      id: randomUUID(),
      at: new Date().toISOString(),
      from: envelope.mailFrom ? envelope.mailFrom.address : '',
      to: envelope.rcptTo.map(({ address }) => address).join(', '),
      subject,
      bytes: raw.length,
    };
    await writeFile(fileOf(caught.id), raw);
    await appendFile(index, `${JSON.stringify(caught)}\n`);
  }

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onData(stream, session, done) {
      keep(stream, session).then(
        () => done(),
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
      );
    },
  });
  server.on('error', (err: Error) => logger.debug({ err }, 'a connection to the local mailbox failed'));

  return {
    /** Resolves to the server's URL once it listens. */
    url: () => listening.promise,

    start() {
      logger.info({ mailbox: page }, 'SMTP_URL is not set: email stays in the local mailbox');
      void mkdir(dir, { recursive: true }).then(() => {
        const listener = server.listen(0, '127.0.0.1', () => {
          const address = listener.address();
          if (address && typeof address === 'object') listening.resolve(`smtp://127.0.0.1:${address.port}`);
        });
      });
    },

    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),

    /** The latest emails, newest first. */
    async latest(limit: number): Promise<Caught[]> {
      const text = await readFile(index, 'utf8').catch(() => '');
      const lines = text.split('\n').filter((line) => line !== '');
      return lines
        .slice(-limit)
        .reverse()
        .map((line) => Caught.parse(JSON.parse(line)));
    },

    /** The raw bytes of an email; undefined if no email has this ID. */
    async read(id: string): Promise<Buffer | undefined> {
      return z.uuid().safeParse(id).success ? readFile(fileOf(id)).catch(() => undefined) : undefined;
    },
  };
}
