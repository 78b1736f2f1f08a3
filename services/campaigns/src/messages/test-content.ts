import { success } from '@mp/contracts/envelope';
import { Line } from '@mp/contracts/text';
import type { Server } from '@mp/service-kit/create-server';
import { requireWithinLimits } from '@mp/service-kit/sending-limits';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { MessageContent } from '../content/message-content.ts';
import type { CompileContent } from '../content/templates/compile-content.ts';
import { contentBodyLimit, contentFields } from '../content/templates/content-fields.ts';
import { email } from './message-body.ts';
import { type SendTests, Tests, testFields, testsAccepted, testsText } from './send-tests.ts';

type Deps = { compileContent: CompileContent; sendTests: SendTests; transact: Transact };

const { subject, preview_text, html, mjml, text } = contentFields;

const Body = z.strictObject({
  ...testFields,
  from: z
    .strictObject({
      email: email.describe('The address of the sender.'),
      name: Line(200).nullable().optional().describe('The name of the sender.'),
    })
    .describe('The sender.'),
  reply_to: email.nullable().optional().describe('The address for replies; the address of the sender if null.'),
  content: z.strictObject({ subject, preview_text, html, mjml, text }).partial().required({ subject: true }).describe('The email.'),
});

export function testContent(app: Server, { compileContent, sendTests, transact }: Deps) {
  app.post(
    '/v2/campaigns/test',
    {
      config: { scope: 'campaigns:send', bodyLimit: contentBodyLimit },
      schema: {
        operationId: 'testContent',
        summary: 'Send a test of an email that is not saved',
        description: `Sends the email to these addresses, ${testsText}`,
        body: Body,
        response: { 202: success(Tests) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      const { from, reply_to = null, content, ...test } = request.body;
      // Not saved, so that it has no topic.
      requireWithinLimits(request.principal, { topic: null, sender: from.email });
      const compiled = async (): Promise<MessageContent> => {
        const { subject, preview_text, html = '', mjml, text } = content;
        const parts = { subject, preview_text: preview_text || null, html, mjml: mjml || null, text: text || null };
        const sender = { from: { email: from.email, name: from.name || null }, reply_to };
        return MessageContent.parse({
          ...(await compileContent(accountId, parts)),
          ...sender,
          // As in a campaign, so that the links of the test are those of the campaign.
          track: { opens: true, clicks: true },
        });
      };
      return transact(
        request,
        reply,
        async (tx, checked) => testsAccepted(await sendTests.send(tx, accountId, { ...test, content: checked, name: '' })),
        {
          before: async () => {
            const checked = await compiled();
            await sendTests.require(accountId, checked, test);
            return checked;
          },
        },
      );
    },
  );
}
