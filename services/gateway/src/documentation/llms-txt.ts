import { errorCodes } from '@mp/contracts/errors';
import { type Described, operationsOf, titleOf } from './markdown.ts';

/** The way in for programs that read (https://llmstxt.org): what this is, the rules that hold everywhere, and where the rest is. */
export function llmsTxt(document: Described): string {
  const pages = document.tags.map(({ name, description = '' }) => `- [${titleOf(name)}](/reference/${name}.md): ${description}`);
  const operations = document.tags.map(({ name }) => {
    const rows = operationsOf(document, name).map(({ method, path, operation }) => `- \`${method} ${path}\` ${operation.summary ?? ''}`);
    return `### ${titleOf(name)}\n\n${rows.join('\n')}`;
  });
  const failures = Object.entries(errorCodes).map(([code, { status, meaning }]) => `- ${status} \`${code}\`: ${meaning}`);
  return [
    `# ${document.info.title}`,
    '> Contacts, segments, campaigns, LeadPulse and workflows over one HTTP API, self-hosted.',
    (document.info.description ?? '').replace(/^.*\n\n/, ''),
    '## Pages',
    pages.join('\n'),
    '- [OpenAPI 3.1](/openapi.json): every operation, status, header and example\n- [Reference](/reference/): the same for people',
    '## Operations',
    ...operations,
    '## Failures',
    failures.join('\n'),
    '',
  ].join('\n\n');
}
