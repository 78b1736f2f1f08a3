import type { Keyring } from '@mp/contracts/keyring';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { readLink } from '../content/links/link-token.ts';
import type { RecipientsStore } from '../ledger/recipients/recipients-store.ts';
import { seenIn, showPreferences } from './follow-link.ts';
import { sendLinkPage } from './link-pages.ts';
import type { Preferences } from './preferences.ts';
import type { RecordEngagement } from './record-engagement.ts';

type Deps = { linkKeys: Keyring; recipients: RecipientsStore; preferences: Preferences; recordEngagement: RecordEngagement };

const Params = z.object({ token: z.string() });

/** What the preference page sends. Anything else is the one-click request of a mail client. */
const Form = z.object({ action: z.enum(['save', 'unsubscribe', 'resubscribe']).nullable().catch(null), topics: z.array(z.string()) });
const formOf = (body: string) => {
  const fields = new URLSearchParams(body);
  return { action: fields.get('action'), topics: fields.getAll('topic').slice(0, 100) };
};

/**
 * `POST /t/:token`: the one-click request of mail clients (RFC 8058), which leaves the topic of the campaign or unsubscribes, and
 * the forms of the preference page. It can be repeated safely; the token holds who it is.
 */
export function unsubscribeByLink(app: Server, { linkKeys, recipients, preferences, recordEngagement }: Deps) {
  // Only this route accepts form bodies.
  void app.register(async (forms) => {
    const options = { parseAs: 'string' as const, bodyLimit: 8_192 };
    forms.addContentTypeParser('application/x-www-form-urlencoded', options, (_request, body, done) => done(null, formOf(String(body))));
    forms.addContentTypeParser('multipart/form-data', options, (_request, _body, done) => done(null, formOf('')));
    forms.post('/t/:token', { schema: { hide: true, params: Params, querystring: z.object({}) } }, async (request, reply) => {
      const link = readLink(linkKeys, Params.parse(request.params).token);
      const row = link?.purpose === 'unsubscribe' && (await recipients.findById(link.accountId, link.recipientId));
      if (!row) return sendLinkPage(reply, 'invalidLink');
      const { action, topics } = Form.parse(request.body ?? formOf(''));
      if (action === 'save') {
        await preferences.choose(row, seenIn(request), topics);
        return showPreferences(preferences, row, { request, reply, done: 'saved' });
      }
      if (action === 'resubscribe') {
        await preferences.resubscribe(row, seenIn(request), request.headers['accept-language']);
        return showPreferences(preferences, row, { request, reply, done: 'resubscribed' });
      }
      if (action === 'unsubscribe') await recordEngagement.unsubscribed(row, seenIn(request));
      else await preferences.leave(row, seenIn(request));
      return showPreferences(preferences, row, { request, reply, done: 'unsubscribed' });
    });
  });
}
