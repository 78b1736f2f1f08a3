import { errorCodes } from '@mp/contracts/errors';
import { type Described, operationsOf, resourcePage } from './markdown.ts';
import { rulesMarkdown } from './rules-page.ts';
import { pageOf } from './tags.ts';

/** The entry page for language models (https://llmstxt.org): an introduction, the common rules, and links to everything else. */
export function llmsTxt(document: Described): string {
  const pages = document.tags.map(({ name, description = '' }) => `- [${name}](${pageOf(name)}): ${description}`);
  const operations = document.tags.map(({ name }) => {
    const rows = operationsOf(document, name).map(({ method, path, operation }) => `- \`${method} ${path}\` ${operation.summary ?? ''}`);
    return `### ${name}\n\n${rows.join('\n')}`;
  });
  const failures = Object.entries(errorCodes).map(([code, { status, meaning }]) => `- ${status} \`${code}\`: ${meaning}`);
  return [
    `# ${document.info.title}`,
    '> Contacts, segments, campaigns, LeadPulse and workflows over one HTTP API, self-hosted.',
    (document.info.description ?? '').replace(/^.*\n\n/, ''),
    '## Pages',
    pages.join('\n'),
    '- [Rule language](/reference/rules.md): conditions that select contacts, with examples\n- [OpenAPI 3.1](/openapi.json): every operation, status, header and example, also as [YAML](/openapi.yaml) and as a [Postman collection](/postman-collection.json)\n- [Reference](/reference/): the same for browsers\n- [Guides](/docs/index.md): from the first contact to production; the Markdown of a page is at its address with `.md`, such as [a quickstart](/docs/guides/quickstart.md)\n- [Everything in one file](/llms-full.txt): this page, the guides and all pages above',
    '## Operations',
    ...operations,
    '## Failures',
    failures.join('\n'),
    '',
  ].join('\n\n');
}

/** The entry page with everything it links to: the guides, the rule language and the pages of all resources. */
export const llmsFullTxt = (document: Described, guides: string): string =>
  [llmsTxt(document), guides, rulesMarkdown(document), ...document.tags.map(({ name }) => resourcePage(document, name))].join('\n\n');
