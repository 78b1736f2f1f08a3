import type { Keyring } from '@mp/contracts/keyring';
import type { Server } from '@mp/service-kit/create-server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { sentLinkCount, sentTarget } from '../content/links/link-targets.ts';
import { readLink } from '../content/links/link-token.ts';
import { isPublished, isTest, type RecipientDocument } from '../ledger/recipients/recipient-row.ts';
import type { RecipientsStore } from '../ledger/recipients/recipients-store.ts';
import type { ContentsStore } from '../messages/contents-store.ts';
import type { IdentifyVisitor } from './identify-visitor.ts';
import { linkHeaders, sendLinkPage } from './link-pages.ts';
import type { LinksOfRow } from './links-of-row.ts';
import { type Notice, type PreferencePage, preferencePage, sendPreferencePage } from './preference-page.ts';
import { textsFor } from './preference-texts.ts';
import type { Preferences } from './preferences.ts';
import type { RecordEngagement, Seen } from './record-engagement.ts';

type Deps = {
  linkKeys: Keyring;
  recipients: RecipientsStore;
  contents: ContentsStore;
  linksOfRow: LinksOfRow;
  recordEngagement: RecordEngagement;
  preferences: Preferences;
  identifyVisitor: IdentifyVisitor;
};

/** The smallest transparent GIF. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

export const seenIn = (request: FastifyRequest): Seen => ({
  requestId: request.id,
  method: request.method,
  userAgent: request.headers['user-agent'] ?? '',
  at: new Date(),
});

type Showing = { request: FastifyRequest; reply: FastifyReply; done?: Notice | 'unsubscribed' };

/** The preference page of a recipient, after what it has just done there. */
export async function showPreferences(preferences: Preferences, row: RecipientDocument, { request, reply, done }: Showing) {
  const { topics, locale, isUnsubscribed } = await preferences.of(row);
  const inLanguage = textsFor(locale, request.headers['accept-language']);
  const isOver = done === 'unsubscribed' || isUnsubscribed;
  const page: PreferencePage = isOver ? { kind: 'unsubscribed' } : { kind: 'choices', topics, notice: done };
  return sendPreferencePage(reply, preferencePage(page, inLanguage));
}

/**
 * `GET /t/:token`: the tracking image, the links and the unsubscribe page of emails. GET never unsubscribes, because
 * scanners follow links.
 */
export function followLink(app: Server, deps: Deps) {
  const { linkKeys, recipients, contents, linksOfRow, recordEngagement, preferences, identifyVisitor } = deps;
  async function click(request: FastifyRequest, reply: FastifyReply, row: RecipientDocument, number: number) {
    const content = await contents.of(row);
    const links = content?.links ?? [];
    // Links keep the target they had when the email was sent. The link itself has only a number.
    const kept = await linksOfRow(row, content);
    const url = sentTarget(links, kept, number);
    if (url === undefined) return sendLinkPage(reply, 'invalidLink');
    if (!isTest(row)) await recordEngagement.clicked(row, seenIn(request), { number, url, count: sentLinkCount(links, kept) });
    return reply.headers(linkHeaders).redirect(isPublished(row) ? await identifyVisitor(row, url) : url, 302);
  }

  app.get(
    '/t/:token',
    { schema: { hide: true, params: z.object({ token: z.string() }), querystring: z.object({}) } },
    async (request, reply) => {
      const link = readLink(linkKeys, request.params.token);
      const row = link && (await recipients.findById(link.accountId, link.recipientId));
      if (!link || !row) return sendLinkPage(reply, 'invalidLink');
      switch (link.purpose) {
        case 'open':
          if (!isTest(row)) await recordEngagement.opened(row, seenIn(request));
          return reply.headers(linkHeaders).type('image/gif').send(pixel);
        case 'click':
          return click(request, reply, row, link.number);
        case 'unsubscribe':
          return showPreferences(preferences, row, { request, reply });
      }
    },
  );
}
