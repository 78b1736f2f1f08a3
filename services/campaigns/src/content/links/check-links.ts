import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { requireNoMaintenance } from '@mp/service-kit/maintenance';
import { z } from 'zod';
import { CheckedLink } from './checked-link.ts';
import type { CheckLinks } from './link-checker.ts';

const maxLinks = 50;
const maxUrl = 2_048;

const Body = z.strictObject({
  urls: z
    .array(z.string().max(maxUrl))
    .min(1)
    .max(maxLinks)
    .refine((urls) => new Set(urls).size === urls.length, 'expected each URL once')
    .describe('The links, as they are in the email: http:// or https:// URLs.'),
});

const CheckedLinks = z.object({ links: z.array(CheckedLink).describe('The links, in the order of `urls`.') });

export function checkLinks(app: Server, { check, maintenance }: { check: CheckLinks; maintenance: boolean }) {
  app.post(
    '/v2/campaigns/links/check',
    {
      config: { scope: 'campaigns:read', reads: true },
      schema: {
        operationId: 'checkLinks',
        summary: 'Check the links of an email',
        description:
          'Requests each link and says which ones are broken, before an email is sent. Only public addresses are requested, for at most 15 seconds in total. A page that works is not requested again for five minutes. An account can check one email at a time; a second check fails with 429.',
        body: Body,
        response: { 200: success(CheckedLinks) },
      },
    },
    async (request, reply) => {
      requireNoMaintenance(maintenance);
      const leaving = new AbortController();
      reply.raw.once('close', () => leaving.abort());
      const links = await check(request.principal.accountId, request.body.urls, leaving.signal);
      return { success: true as const, data: { links } };
    },
  );
}
