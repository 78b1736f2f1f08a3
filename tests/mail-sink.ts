import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export type CaughtMail = { to: string; mail: Email };

/** A real SMTP server that keeps every mail it takes. `options` make it refuse, stall or drop. */
export async function startMailSink(t: { after: (cleanUp: () => Promise<void>) => void }, options: SMTPServerOptions = {}) {
  const caught: CaughtMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        PostalMime.parse(Buffer.concat(chunks)).then(
          (mail) => {
            for (const { address } of session.envelope.rcptTo) caught.push({ to: address, mail });
            done();
          },
          (error: Error) => done(error),
        );
      });
    },
    ...options,
  });
  // A dropped connection is what some tests want.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.server.address() as AddressInfo;
  t.after(() => new Promise((resolve) => server.close(() => resolve())));
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    caught,
    to: (email: string) => caught.filter(({ to }) => to === email).map(({ mail }) => mail),
  };
}
