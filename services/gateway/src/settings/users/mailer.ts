import type { Logger } from '@mp/service-kit/logger';
import { createTransport } from 'nodemailer';

export type Mail = { to: string; subject: string; text: string; headers?: Record<string, string> };

/** Sends the gateway's own emails. Undefined if no mail server is configured. */
export type Mailer = { send: (mail: Mail) => Promise<void> } | undefined;

/**
 * What became of an email: `retry` if the mail server has not taken it, `failed` if it never will, `unknown` if the connection broke while
 * it had the content.
 */
export type Delivery = { status: 'sent' } | { status: 'retry'; reason: string } | { status: 'failed' | 'unknown'; reason: string };
export type Deliver = (mail: Mail) => Promise<Delivery>;

/** `isPooled`: keeps connections open, so that a burst of notifications opens few. A command that then ends must not. */
type MailerConfig = { smtpUrl: string | undefined; from: string; logger: Logger; isPooled?: boolean };

/** Tries each email once and only logs failures; users can request another. */
export function createMailer({ smtpUrl, from, logger, isPooled = true }: MailerConfig) {
  if (smtpUrl === undefined) return undefined;
  const transport = createTransport({ url: smtpUrl, ...(isPooled && { pool: true, maxConnections: 5 }) }, { from });
  return {
    /** Tries once and says what happened. */
    async deliver(mail: Mail): Promise<Delivery> {
      try {
        await transport.sendMail(mail);
        return { status: 'sent' };
      } catch (error) {
        return failureOf(error);
      }
    },

    async send(mail: Mail) {
      try {
        await transport.sendMail(mail);
      } catch (err) {
        // Without the subject, which can contain personal data.
        logger.error({ err }, 'could not send an email');
      }
    },
  };
}

/** What marks an error of a connection that was never made: nodemailer's codes, and the system call of the socket. */
const beforeConnection = ['EDNS', 'EAUTH', 'ETLS', 'connect'];

/** A connection that is aborted may have carried the whole email, so that it counts as unknown rather than being sent twice. */
function failureOf(error: unknown): Delivery {
  const reason = error instanceof Error ? error.message : String(error);
  const of = (name: string): unknown => (typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined);
  const code = of('responseCode');
  if (typeof code === 'number') return { status: code >= 500 && of('code') !== 'EAUTH' ? 'failed' : 'retry', reason };
  const isBefore = beforeConnection.some((known) => known === of('code') || known === of('syscall'));
  return { status: isBefore ? 'retry' : 'unknown', reason };
}
