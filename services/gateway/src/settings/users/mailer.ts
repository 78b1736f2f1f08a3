import type { Logger } from '@mp/service-kit/logger';
import { createTransport } from 'nodemailer';

export type Mail = { to: string; subject: string; text: string };

/** Sends the gateway's own mails. Undefined where no mail server is configured. */
export type Mailer = { send: (mail: Mail) => Promise<void> } | undefined;

type MailerConfig = { smtpUrl: string | undefined; from: string; logger: Logger };

/** Each mail is tried once: whoever misses one asks for another. */
export function createMailer({ smtpUrl, from, logger }: MailerConfig): Mailer {
  if (smtpUrl === undefined) return undefined;
  const transport = createTransport(smtpUrl, { from });
  return {
    async send(mail) {
      try {
        await transport.sendMail(mail);
      } catch (err) {
        logger.error({ err, subject: mail.subject }, 'mail not sent');
      }
    },
  };
}
