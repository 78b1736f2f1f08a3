import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import { contactId, formId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { seenIn } from './admit-submission.ts';
import type { DryRun } from './carry-out-submission.ts';
import { checkSubmission, SubmissionBody } from './check-submission.ts';
import type { FormsStore } from './forms-store.ts';

const FormDryRun = z
  .object({
    contact_id: contactId.nullable().describe('The contact with the email address; null if the submission would create one.'),
    changed: z.array(z.string()).describe('The fields of that contact that would change. Empty for a new contact.'),
    consents: z
      .array(
        z.object({
          channel: z.string().describe('The channel.'),
          topics: z.array(z.string()).describe('The topics; none for the whole channel.'),
        }),
      )
      .describe('The consents that would be given; none if the address is suppressed.'),
    is_suppressed: z.boolean().describe('Whether the address is suppressed. Then the contact gets no consent, tag, segment or email.'),
    awaits_confirmation: z.boolean().describe('Whether the contact would first have to confirm a consent.'),
    sends_email: z
      .boolean()
      .describe('Whether the confirmation email would be sent. An address gets at most three in 24 hours, and none without a sender.'),
  })
  .meta({ id: 'FormDryRun' });

export function dryRunForm(app: Server, { forms, dryRun }: { forms: Pick<FormsStore, 'get'>; dryRun: DryRun }) {
  app.post(
    '/v2/contacts/forms/:id/dry-run',
    {
      config: { scope: 'contacts:read', reads: true },
      schema: {
        operationId: 'dryRunForm',
        summary: 'Dry-run a form',
        description:
          'Checks a submission as the form does, and returns what it would do. Nothing is stored, counted or sent. The captcha and the limits of the form do not apply.',
        params: z.object({ id: formId.describe('The ID of the form.') }),
        body: SubmissionBody.pick({ fields: true, consents: true, language: true }),
        response: { 200: success(FormDryRun) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const form = await forms.get(accountId, request.params.id);
      if (form.status === 'archived') throw new ApiError('INVALID_STATE', 'An archived form accepts no submissions; restore it first.');
      const language = request.body.language ?? form.language;
      const checked = checkSubmission(form, request.body, language);
      const seen = seenIn(request, language);
      const { existing, changed, isSuppressed, awaitsConfirmation, requestsEmail } = await dryRun(
        { accountId, form },
        { ...checked, seen },
      );
      const data = {
        contact_id: existing?.id ?? null,
        changed: [...changed],
        consents: isSuppressed ? [] : checked.consents.map(({ channel, topics }) => ({ channel, topics })),
        is_suppressed: isSuppressed,
        awaits_confirmation: awaitsConfirmation,
        sends_email: requestsEmail,
      };
      return { success: true as const, data };
    },
  );
}
