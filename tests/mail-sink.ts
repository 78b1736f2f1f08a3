import type { Socket } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

type CaughtMail = { to: string; mail: Email };

/** What the server does with its n-th email after receiving it. */
export type Mood = (mail: number) => 'take' | 'stall' | 'drop';

const stallMs = 1_500;

/** A real SMTP server that stores every email it accepts. It can defer recipients, stall, and disconnect during DATA. */
export async function startMailSink(
  t: { after: (cleanUp: () => Promise<void>) => void },
  { mood = () => 'take', refuses = () => false }: { mood?: Mood; refuses?: (receiver: number) => boolean } = {},
) {
  const caught: CaughtMail[] = [];
  const sockets = new Set<Socket>();
  let [mails, receivers] = [0, 0];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onRcptTo(_, __, done) {
      receivers += 1;
      done(refuses(receivers) ? Object.assign(new Error('try later'), { responseCode: 450 }) : null);
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails += 1;
        const does = mood(mails);
        if (does === 'drop') return [...sockets].find((socket) => socket.remotePort === session.remotePort)?.destroy();
        PostalMime.parse(Buffer.concat(chunks)).then(
          (mail) => {
            for (const { address } of session.envelope.rcptTo) caught.push({ to: address, mail });
            if (does === 'stall') setTimeout(done, stallMs);
            else done();
          },
          (error: Error) => done(error),
        );
      });
    },
  });
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  // A killed client leaves a broken connection.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.server.address();
  t.after(() => new Promise((resolve) => server.close(() => resolve())));
  return {
    url: `smtp://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    caught,
    to: (email: string) => caught.filter(({ to }) => to === email).map(({ mail }) => mail),
  };
}
