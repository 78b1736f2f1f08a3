import { ruleSections } from '@mp/rules/examples';
import { type ExampleSubject, exampleNow, type RuleExample } from '@mp/rules/examples/example';
import { marked } from 'marked';
import { type Described, fieldsTable, json, table } from './markdown.ts';
import type { Schema } from './openapi-types.ts';
import { plainPage } from './plain-page.ts';

/** The rule language as Markdown: every kind of condition and operator, with an example that a test evaluates. */
export function rulesMarkdown({ components: { schemas } }: Described): string {
  const fieldsOf = (schema: Schema | undefined) => (schema ? [fieldsTable(schema, new Set())] : []);
  const sections = ruleSections.map(({ title, text, tables = [], condition, examples }) =>
    [
      `## ${title}`,
      text,
      ...tables.map(([head = [], ...rows]) => table(head, rows)),
      ...fieldsOf(Object.values(schemas).find((schema) => condition !== undefined && schema.title === condition)),
      ...examples.map(exampleText),
    ].join('\n\n'),
  );
  return [
    '# Rule language',
    'Rules select contacts. Segments, contact search, bulk jobs, exports and the branches of workflows use them.',
    String(schemas.Rule?.description ?? ''),
    'An invalid rule is rejected with the path of the wrong field and what would be valid there. `POST /v2/segments/preview` tests a rule, and `GET /v2/segments/{id}/contacts/{contact_id}` explains the result for one contact.',
    `The examples are evaluated on ${exampleNow.toISOString().slice(0, 10)} at noon UTC.`,
    ...sections,
    '',
  ].join('\n\n');
}

const exampleText = ({ means, rule, matches, fails }: RuleExample) =>
  `${means}\n\n${json(rule)}\n\nMatches ${subjectText(matches)}. Does not match ${subjectText(fails)}.`;

function subjectText({ contact, events, segments }: ExampleSubject): string {
  const known = [
    ...(contact && Object.keys(contact).length > 0 ? [`a contact with \`${JSON.stringify(contact)}\``] : []),
    ...(events ?? []).map(({ name, activity, daysAgo, amount, properties }) =>
      [
        `\`${name ?? activity}\` ${daysAgo} ${daysAgo === 1 ? 'day' : 'days'} ago`,
        ...(amount === undefined ? [] : [`with ${amount} EUR`]),
        ...(properties === undefined ? [] : [`with \`${JSON.stringify(properties)}\``]),
      ].join(' '),
    ),
    ...(segments && segments.length > 0 ? ['a contact in the segment'] : []),
  ];
  return known.length === 0 ? 'a contact without any of this' : known.join(' and ');
}

const styles = `body { max-width: 48rem; }
pre { overflow: auto; padding: 0.75rem 1rem; border-radius: 8px; background: color-mix(in srgb, canvastext 8%, canvas); }
table { border-collapse: collapse; }
td, th { padding: 0.25rem 0.75rem 0.25rem 0; text-align: left; vertical-align: top; overflow-wrap: anywhere; }`;

/** The page for browsers. */
export function rulesPage(markdown: string): string {
  const html = marked.parse(markdown, { async: false });
  // An example can be wider than the screen, so its box must be scrollable by keyboard.
  const body = `${html.replaceAll('<pre>', '<pre tabindex="0" role="region" aria-label="Example">')}
<p><a href="/reference">API reference</a> · <a href="/reference/rules.md">Markdown</a></p>`;
  return plainPage({ title: 'Rule language', styles, body });
}
