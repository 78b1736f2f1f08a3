import type { Keyring } from '@mp/contracts/keyring';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import type { RecordEngagement } from '../engagements/record-engagement.ts';
import type { RecipientsStore } from '../recipients/recipients-store.ts';
import { seenIn } from './follow-link.ts';
import { sendLinkPage } from './link-pages.ts';
import { readLink } from './link-token.ts';

type Deps = { linkKeys: Keyring; recipients: RecipientsStore; recordEngagement: RecordEngagement };

const Params = z.object({ token: z.string() });
const formTypes = ['application/x-www-form-urlencoded', 'multipart/form-data'];

/**
 * `POST /t/:token` unsubscribes: the one-click request of mail clients (RFC 8058) and the button on the page. It can be
 * repeated safely. The form is accepted but not read, because the token holds everything.
 */
export function unsubscribeByLink(app: Server, { linkKeys, recipients, recordEngagement }: Deps) {
  // Only this route accepts form bodies.
  void app.register(async (forms) => {
    forms.addContentTypeParser(formTypes, { parseAs: 'string', bodyLimit: 8_192 }, (_request, _body, done) => done(null, {}));
    forms.post('/t/:token', { schema: { hide: true, params: Params, querystring: z.object({}) } }, async (request, reply) => {
      const link = readLink(linkKeys, Params.parse(request.params).token);
      const row = link?.purpose === 'unsubscribe' && (await recipients.findById(link.accountId, link.recipientId));
      if (!row) return sendLinkPage(reply, 'invalidLink');
      await recordEngagement.unsubscribed(row, seenIn(request));
      return sendLinkPage(reply, 'unsubscribed');
    });
  });
}
