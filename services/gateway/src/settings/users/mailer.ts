import type { Logger } from '@mp/service-kit/logger';
import { createTransport } from 'nodemailer';

export type Mail = { to: string; subject: string; text: string };

/** Sends the gateway's own emails. Undefined if no mail server is configured. */
export type Mailer = { send: (mail: Mail) => Promise<void> } | undefined;

/** `isPooled`: keeps connections open, so that a burst of notifications opens few. A command that then ends must not. */
type MailerConfig = { smtpUrl: string | undefined; from: string; logger: Logger; isPooled?: boolean };

/** Tries each email once and only logs failures; users can request another. */
export function createMailer({ smtpUrl, from, logger, isPooled = true }: MailerConfig): Mailer {
  if (smtpUrl === undefined) return undefined;
  const transport = createTransport({ url: smtpUrl, ...(isPooled && { pool: true, maxConnections: 5 }) }, { from });
  return {
    async send(mail) {
      try {
        await transport.sendMail(mail);
      } catch (err) {
        // Without the subject, which can contain personal data.
        logger.error({ err }, 'could not send an email');
      }
    },
  };
}
