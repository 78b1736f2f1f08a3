/** The `source_id` of messages and of tests in the ledger. */
export const messageSources = { messages: 'messages', tests: 'tests' } as const;

/** What a caller can send: an email that the recipient expects regardless of consent, or one that needs consent. */
export const sendableCategories = ['transactional', 'marketing'] as const;
export const messageCategories = [...sendableCategories, 'test'] as const;
export type MessageCategory = (typeof messageCategories)[number];

/** An attachment; `id` is the hash of its content. */
export type StoredAttachment = { id: string; filename: string; content_type: string; size: number };
