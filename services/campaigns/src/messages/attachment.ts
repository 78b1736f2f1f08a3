import { Base64 } from '@mp/contracts/base64';
import { Name } from '@mp/contracts/text';
import { z } from 'zod';

/** The maximum bytes of all attachments of a message. */
export const maxAttachmentBytes = 10 * 1_048_576;
export const maxAttachments = 20;

export const Attachment = z.strictObject({
  filename: Name(255)
    .refine((name) => !/[/\\]/.test(name), 'expected the name of a file, without a path')
    .describe('The name of the file.'),
  content_type: z
    .string()
    .max(100)
    .regex(/^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/i, 'expected a media type such as application/pdf')
    .describe('The media type, such as `application/pdf`.'),
  content: Base64.min(1).describe('The content in base64.'),
});
