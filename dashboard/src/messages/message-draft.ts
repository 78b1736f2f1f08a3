import type { NewMessage } from './messages.ts';

export type MessageDraft = { kind: 'text' | 'template'; from: string; subject: string; text: string; template_id: string };

/** What is missing in an email, by field. */
export function missingIn({ kind, from, subject, text, template_id }: MessageDraft) {
  const isText = kind === 'text';
  return {
    from: from.trim() === '' ? 'Enter an address.' : null,
    subject: isText && subject.trim() === '' ? 'Enter a subject.' : null,
    text: isText && text.trim() === '' ? 'Enter a text.' : null,
    template_id: !isText && template_id === '' ? 'Choose a template.' : null,
  };
}

type Sender = { email: string; name: string | null; reply_to: string | null };

/** The request that sends an email. The default sender's name and reply-to belong to its address only. */
export function messageOf({ kind, from, subject, text, template_id }: MessageDraft, usual: Sender | null): Omit<NewMessage, 'to'> {
  const email = from.trim();
  const own = usual?.email === email ? usual : null;
  return {
    from: { email, name: own?.name ?? null },
    ...(own?.reply_to && { reply_to: own.reply_to }),
    category: 'transactional',
    ...(kind === 'template' ? { template_id } : { content: { subject: subject.trim(), text } }),
  };
}
