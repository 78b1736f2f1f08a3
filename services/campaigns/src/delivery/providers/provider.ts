import { Name } from '@mp/contracts/text';
import { newId } from '@mp/ids';
import { z } from 'zod';

export const providerKinds = ['ses', 'sendgrid', 'postmark', 'mailgun'] as const;
export type ProviderKind = (typeof providerKinds)[number];

/** An email provider that reports what happened to emails. */
export const Provider = z
  .object({
    id: z.string().describe('The ID of the provider.'),
    name: z.string().describe('The name of the provider.'),
    kind: z.enum(providerKinds).describe('The kind of webhook it sends.'),
    webhook_url: z.string().describe('The URL to set as the webhook at the provider.'),
    topic_arn: z.string().nullable().describe('The SNS topic whose messages are accepted; only for `ses`.'),
    public_key: z.string().nullable().describe('The key that verifies its signatures; only for `sendgrid`.'),
    created_at: z.iso.datetime().describe('When the provider was added.'),
  })
  .meta({ id: 'Provider' });
export type Provider = z.infer<typeof Provider>;

const required: Record<ProviderKind, 'topic_arn' | 'public_key' | 'basic_auth' | 'signing_key'> = {
  ses: 'topic_arn',
  sendgrid: 'public_key',
  postmark: 'basic_auth',
  mailgun: 'signing_key',
};

export const CreateProviderBody = z
  .strictObject({
    name: Name(200).describe('The name of the provider.'),
    kind: z.enum(providerKinds).describe('`ses` (through SNS), `sendgrid`, `postmark` or `mailgun`.'),
    topic_arn: z
      .string()
      .max(256)
      .regex(/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]+(\.fifo)?$/, 'expected the ARN of an SNS topic')
      .optional()
      .describe('For `ses`: the SNS topic. The subscription is confirmed automatically.'),
    public_key: z.base64().max(1_000).optional().describe('For `sendgrid`: the verification key of the signed event webhook.'),
    basic_auth: z
      .strictObject({
        username: z
          .string()
          .min(1)
          .max(200)
          .regex(/^[^:]+$/, 'expected a name without a colon')
          .describe('The user name.'),
        password: z.string().min(16).max(200).describe('The password, at least 16 characters.'),
      })
      .optional()
      .describe('For `postmark`: the HTTP basic authentication set in the webhook; its webhooks are not signed.'),
    signing_key: z.string().min(16).max(200).optional().describe('For `mailgun`: the HTTP webhook signing key.'),
  })
  .superRefine((body, context) => {
    for (const [kind, field] of Object.entries(required)) {
      const isNeeded = kind === body.kind;
      if (isNeeded === (body[field] !== undefined)) continue;
      const message = isNeeded ? `${field} is required for ${kind}.` : `${field} is only for ${kind}.`;
      context.addIssue({ code: 'custom', path: [field], message });
    }
  });

export type NewProvider = z.output<typeof CreateProviderBody>;

export const newProviderId = () => newId('provider');
