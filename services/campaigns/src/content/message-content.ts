import { Email } from '@mp/contracts/contact';
import { z } from 'zod';
import { Utm } from './links/utm.ts';

/** The content of an email before it is rendered for a contact: of a campaign, or of a workflow step. */
export const MessageContent = z.object({
  subject: z.string(),
  preview_text: z.string().nullable(),
  from: z.object({ email: Email, name: z.string().nullable() }),
  reply_to: z.string().nullable(),
  html: z.string(),
  text: z.string().nullable(),
  /** The topic that the unsubscribe link leaves. */
  topic: z.string().nullable().optional(),
  utm: Utm.nullable().default(null),
  track: z.object({ opens: z.boolean(), clicks: z.boolean() }),
});
export type MessageContent = z.infer<typeof MessageContent>;
