import type { RecipientId } from '@mp/ids';
import { inAscii } from './address-domain.ts';

/** The headers that the signature covers, among them those to unsubscribe with one click (RFC 8058 §4). */
export const signedHeaders =
  'From:Reply-To:Subject:Date:Message-ID:To:MIME-Version:Content-Type:Content-Transfer-Encoding:List-Id:List-Unsubscribe:List-Unsubscribe-Post:Feedback-ID';

/** The headers by which a mailbox offers to unsubscribe (RFC 8058); a transactional email has none. */
export const subscriptionHeaders = (unsubscribe: string, sourceId: string, publicUrl: string) => ({
  'List-Unsubscribe': { prepared: true, value: `<${unsubscribe}>` },
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  'List-Id': { prepared: true, value: `<${sourceId.replace('_', '.')}.${new URL(publicUrl).hostname}>` },
});

/** The same for every attempt, so that a receiving server can recognise a duplicate. */
export const messageIdOf = (recipientId: RecipientId, fromEmail: string) =>
  `<${recipientId.replace('_', '.')}@${inAscii(fromEmail).slice(fromEmail.lastIndexOf('@') + 1)}>`;
