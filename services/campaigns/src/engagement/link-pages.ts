import type { FastifyReply } from 'fastify';

/** These pages contain nothing from a contact or a template, and load nothing. */
const page = (title: string, body: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${title}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem;color:#1f2933}button{font:inherit;padding:.6rem 1.2rem;border:0;border-radius:.4rem;background:#1f2933;color:#fff;cursor:pointer}</style></head>
<body><h1>${title}</h1>${body}</body>
</html>
`;

const invalidLink = page('This link is not valid', '<p>It is incomplete, or its target no longer exists.</p>');

const pages = { invalidLink: [404, invalidLink] } as const;

/** Sends one of the pages for recipients who follow a link in an email. */
export function sendLinkPage(reply: FastifyReply, name: keyof typeof pages) {
  const [status, html] = pages[name];
  return reply
    .code(status)
    .headers({
      ...linkHeaders,
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    })
    .type('text/html; charset=utf-8')
    .send(html);
}

/** The token must not leak to the target of a link, and responses must not be cached. */
export const linkHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};
