import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Server } from '@mp/service-kit/create-server';
import scalar from '@scalar/fastify-api-reference';
import type { FastifyReply } from 'fastify';
import { setContentSecurityPolicy } from './content-security-policy.ts';
import { errorsPage } from './errors-page.ts';
import { llmsTxt } from './llms-txt.ts';
import { type Described, resourcePage } from './markdown.ts';
import { referenceStyles } from './reference-styles.ts';
import { rulesMarkdown, rulesPage } from './rules-page.ts';
import { pageOf } from './tags.ts';
import { withoutTypeTitles } from './type-titles.ts';

const json = 'application/json; charset=utf-8';
const markdown = 'text/markdown; charset=utf-8';
const freshFor = 'public, max-age=60';

/**
 * Serves the OpenAPI document as JSON, as web pages (Scalar, under /reference/) and as Markdown. All of it is public, comes
 * from this origin, and is generated from the one document.
 */
export function serveDocumentation(app: Server, document: string) {
  const parsed: Described = JSON.parse(document);
  const text = (path: string, type: string, content: string) =>
    app.get(path, { schema: { hide: true } }, async (_, reply) =>
      reply.type(type).header('cache-control', freshFor).header('x-content-type-options', 'nosniff').serializer(String).send(content),
    );

  text('/openapi.json', json, JSON.stringify(withoutTypeTitles(parsed)));
  text('/reference/openapi.json', json, document);
  text('/llms.txt', 'text/plain; charset=utf-8', llmsTxt(parsed));
  for (const { name } of parsed.tags) text(pageOf(name), markdown, resourcePage(parsed, name));

  const rules = rulesMarkdown(parsed);
  text('/reference/rules.md', markdown, rules);

  for (const [path, page] of [
    ['/reference/errors', errorsPage()],
    ['/reference/rules', rulesPage(rules)],
  ] as const)
    app.get(path, { schema: { hide: true } }, async (_, reply) => {
      setContentSecurityPolicy(reply, page);
      return reply.type('text/html; charset=utf-8').header('cache-control', freshFor).serializer(String).send(page);
    });

  void app.register(async (scope) => {
    const compressed = createCompressed();
    scope.addHook('onSend', async (request, reply, payload) => {
      if (typeof payload !== 'string') return payload;
      setContentSecurityPolicy(reply, payload);
      const type = String(reply.getHeader('content-type'));
      // Scalar's page does not declare its language.
      if (type.startsWith('text/html')) return payload.replace('<html>', '<html lang="en">');
      if (!type.includes('javascript')) return payload;
      reply.header('cache-control', 'public, max-age=3600');
      return compressed(payload, String(request.headers['accept-encoding'] ?? ''), reply);
    });
    await scope.register(scalar, {
      routePrefix: '/reference',
      configuration: {
        url: '/reference/openapi.json',
        pageTitle: 'API reference',
        // The page neither loads anything from third parties nor sends anything to them.
        withDefaultFonts: false,
        telemetry: false,
        agent: { disabled: true },
        mcp: { disabled: true },
        showDeveloperTools: 'never',
        hideClientButton: true,
        customCss: referenceStyles,
      },
    });
  });
}

const encodings = {
  br: (text: string) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (text: string) => promisify(gzip)(text),
};

/** Scalar's script is four megabytes, so it is compressed only once per encoding, on first use. */
function createCompressed() {
  const made = new Map<string, Promise<Buffer>>();
  return async (text: string, accepted: string, reply: FastifyReply) => {
    reply.header('vary', 'accept-encoding');
    const name = (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding));
    if (name === undefined) return text;
    const content = made.get(name) ?? encodings[name](text);
    made.set(name, content);
    reply.header('content-encoding', name).removeHeader('content-length');
    return content;
  };
}
