import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/**
 * Allows scripts of this origin, and the inline scripts of the page, by their hashes. Inline styles are allowed because Scalar
 * creates style elements and attributes while rendering, some without a nonce, and highlighted code has colors in attributes.
 */
export function setContentSecurityPolicy(reply: FastifyReply, content: string) {
  const isPage = String(reply.getHeader('content-type')).startsWith('text/html');
  const inline = isPage ? [...content.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)] : [];
  const hashes = inline.map(([, script = '']) => ` 'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  reply.headers({
    'content-security-policy': [
      "default-src 'none'",
      `script-src 'self'${hashes.join('')}`,
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  });
}
