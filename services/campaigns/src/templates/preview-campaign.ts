import { atMostOneOf } from '@mp/contracts/constraints';
import { success } from '@mp/contracts/envelope';
import { invalid } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { contactScope } from '@mp/templates/fields';
import { problemError } from '@mp/templates/problem-error';
import type { Templates } from '@mp/templates/templates';
import { z } from 'zod';
import type { CampaignsStore } from '../campaigns/campaigns-store.ts';
import type { FindMailable } from '../contactables/mailable-contacts.ts';

type Deps = { campaigns: CampaignsStore; findMailable: FindMailable; templates: Pick<Templates, 'render'>; publicUrl: string };

const sampleText = z.string().max(1_000).nullable();

/** Sample values for the fields of a contact that templates read. */
const Sample = z.strictObject({
  email: sampleText.optional().describe('The email address.'),
  phone: sampleText.optional().describe('The phone number.'),
  external_id: sampleText.optional().describe('The external ID.'),
  first_name: sampleText.optional().describe('The first name.'),
  last_name: sampleText.optional().describe('The last name.'),
  company: sampleText.optional().describe('The company.'),
  job_title: sampleText.optional().describe('The job title.'),
  locale: sampleText.optional().describe('The locale, such as `de-DE`.'),
  timezone: sampleText.optional().describe('The time zone, such as `Europe/Berlin`.'),
  tags: z.array(z.string().max(64)).max(100).optional().describe('The tags of the contact.'),
  address: z.record(z.string().max(64), sampleText).optional().describe('The address of the contact, by field.'),
  attributes: z.record(z.string().max(64), z.unknown()).optional().describe('The attributes of the contact, by key.'),
});

const Body = z
  .strictObject({
    contact_id: z.string().optional().describe('The contact to render the email for.'),
    sample: Sample.optional().describe('Sample values to render the email with.'),
  })
  .refine(({ contact_id, sample }) => contact_id === undefined || sample === undefined, {
    path: ['sample'],
    message: 'Use contact_id or sample, not both.',
  })
  .meta(atMostOneOf(['contact_id', 'sample']));

const Preview = z
  .object({
    subject: z.string().describe('The rendered subject.'),
    preview_text: z.string().nullable().describe('The rendered preview text.'),
    html: z.string().describe('The rendered HTML.'),
    text: z.string().describe('The rendered text.'),
    missing_fields: z.array(z.string()).describe('Fields the template uses that have no value for this contact.'),
  })
  .meta({ id: 'CampaignPreview' });

export function previewCampaign(app: Server, { campaigns, findMailable, templates, publicUrl }: Deps) {
  async function contactFields(accountId: string, { contact_id, sample }: z.output<typeof Body>): Promise<object> {
    if (contact_id === undefined) return { tags: [], address: {}, attributes: {}, ...sample };
    const verdict = (await findMailable(accountId, [contact_id], { keep: false })).get(contact_id);
    if (!verdict?.contact) throw invalid('/contact_id', 'unknown_contact', 'No contact has this ID.');
    return contactScope(verdict.contact);
  }

  app.post(
    '/v2/campaigns/:id/preview',
    {
      config: { scope: 'campaigns:read', reads: true },
      schema: {
        operationId: 'previewCampaign',
        summary: 'Render a campaign for one contact',
        description: 'Renders it for a contact of the account, for sample fields, or with empty fields. Nothing is sent or saved.',
        params: z.object({ id: z.string().describe('The ID of the campaign.') }),
        querystring: noQuery,
        body: Body,
        response: { 200: success(Preview) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const campaign = await campaigns.get(accountId, request.params.id);
      const { subject, preview_text, html, text } = campaign;
      const scope = {
        contact: await contactFields(accountId, request.body),
        campaign: { name: campaign.name },
        unsubscribe_url: `${publicUrl}/t/preview`,
      };
      const { problems, ...preview } = await templates.render({ accountId, templates: { subject, preview_text, html, text }, scope });
      const error = problemError(problems);
      if (error) throw error;
      return { success: true as const, data: Preview.parse(preview) };
    },
  );
}
