import type { FastifyReply, FastifyRequest } from 'fastify';

export const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');

type Framing = {
  /** The origins whose pages may embed the page. */
  frames?: readonly string[];
  /** Where images come from. */
  images?: readonly string[];
  /** Where a submission may redirect to: browsers apply `form-action` to that as well. */
  targets?: readonly string[];
  /** Whether the page has the script of frames. */
  hasScript?: boolean;
  /** Whether the page has the script that solves a proof of work, whose challenge it fetches. */
  solvesProof?: boolean;
};

/** Headers of a page. It loads nothing but its own images, runs no script but those of frames and proofs, and submits to its own origin only. */
function addPageHeaders(reply: FastifyReply, framing: Framing) {
  const { frames = [], images = [], targets = [], hasScript = false, solvesProof = false } = framing;
  const ancestors = frames.length > 0 ? frames.join(' ') : "'none'";
  const policy = [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    ...(hasScript || solvesProof ? ["script-src 'self'"] : []),
    ...(solvesProof ? ["connect-src 'self'"] : []),
    ...(images.length > 0 ? [`img-src ${images.join(' ')}`] : []),
    `form-action ${["'self'", ...targets].join(' ')}`,
    `frame-ancestors ${ancestors}`,
    "base-uri 'none'",
  ].join('; ');
  return reply
    .headers({
      'content-security-policy': policy,
      'cache-control': 'no-store',
      // Not `no-referrer`: browsers would send the form without its origin.
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
    })
    .type('text/html; charset=utf-8');
}

export const sendPage = (reply: FastifyReply, status: number, html: string, framing: Framing = {}) =>
  addPageHeaders(reply, framing).code(status).send(html);

/** A hook for routes of pages: what fails there is a page as well, in any frame, because visitors do not read JSON. */
export const errorsAsPages =
  (pageOf: (request: FastifyRequest, status: number) => string) =>
  async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    if (!String(reply.getHeader('content-type')).startsWith('application/json')) return payload;
    addPageHeaders(reply, { frames: ['*'] })
      .removeHeader('content-encoding')
      .removeHeader('content-length');
    return pageOf(request, reply.statusCode);
  };
