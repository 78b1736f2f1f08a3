import { type AccountId, type Id, newId, type PrincipalId } from '@mp/ids';
import { z } from 'zod';
import { type Resource, ResourceType } from './resource.ts';

type CommentId = Id<'comment'>;

export const maxComments = 500;
const maxLength = 5_000;
const maxMentions = 20;

const text = z
  .string()
  .trim()
  .normalize('NFC')
  .min(1)
  .max(maxLength)
  .refine((given) => !/[^\P{Cc}\t\r\n]/u.test(given), 'expected text without control characters other than line breaks and tabs')
  .describe(`Plain text, at most ${maxLength.toLocaleString('en')} characters.`);
const mentions = z
  .array(z.string().max(64))
  .max(maxMentions)
  .refine((ids) => new Set(ids).size === ids.length, 'expected each user once')
  .describe('The IDs of the users it mentions. They are emailed. Each must be able to read the resource.');

export const resourceFields = {
  resource_type: ResourceType.describe('What kind of resource it is about.'),
  resource_id: z.string().min(1).max(64).describe('The ID of the resource it is about.'),
};

export const CreateCommentBody = z.strictObject({ ...resourceFields, text, mentions: mentions.default([]) });

/** A comment on a campaign, template, segment or workflow. */
export const Comment = z
  .object({
    id: z.string().describe('The ID of the comment.'),
    ...resourceFields,
    author_id: z.string().describe('The user who wrote it.'),
    author_name: z.string().describe('The name of that user; `Former user` once they have left the account.'),
    text: z.string().describe('Plain text.'),
    mentions: z.array(z.string()).describe('The IDs of the users it mentions.'),
    resolved_at: z.iso.datetime().nullable().describe('When it was resolved; null while it is open.'),
    resolved_by: z.string().nullable().describe('The user who resolved it.'),
    edited_at: z.iso.datetime().nullable().describe('When its text or mentions were last changed; null if never.'),
    revision: z.number().int().describe('Increases with every change; also sent as the `ETag`.'),
    created_at: z.iso.datetime().describe('When it was written.'),
  })
  .meta({ id: 'Comment' });
export type Comment = z.output<typeof Comment>;

const { text: _, mentions: __, ...readOnly } = Comment.shape;
export const readOnlyFields = Object.keys(readOnly);
export const UpdateCommentBody = z.strictObject({ ...readOnly, text, mentions }).partial();

export type CommentRow = Resource & {
  id: CommentId;
  account_id: AccountId;
  author_id: PrincipalId;
  text: string;
  mentions: string[];
  resolved_at: Date | null;
  resolved_by: string | null;
  edited_at: Date | null;
  revision: number;
  created_at: Date;
};

type New = Pick<CommentRow, 'account_id' | 'author_id' | 'resource_type' | 'resource_id' | 'text' | 'mentions'>;

export const newComment = (fields: New, now: Date): CommentRow => ({
  ...{ id: newId('comment'), ...fields },
  ...{ resolved_at: null, resolved_by: null, edited_at: null, revision: 1, created_at: now },
});

/** The name of a user who may have left the account. */
export const nameIn = (names: ReadonlyMap<string, string>, id: string) => names.get(id) ?? 'Former user';

/** `names`: of the users who are still in the account. */
export const commentView = ({ account_id: ___, ...row }: CommentRow, names: ReadonlyMap<string, string>): Comment => ({
  ...row,
  author_name: nameIn(names, row.author_id),
  resolved_at: row.resolved_at?.toISOString() ?? null,
  edited_at: row.edited_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
});
