import { fieldName, isKnownField, knownFields } from './fields.ts';
import { unsafeLinks } from './html.ts';
import { compileTemplate, type TemplateKind } from './liquid.ts';
import { type MessageTemplates, type Problem, TemplateError } from './message.ts';

const maxProblems = 20;

/** `data`: whether the templates may read `data`, which only transactional messages have. */
export type CheckTask = MessageTemplates & { data?: boolean };

/** The problems of a message's templates that do not depend on a contact. */
export function checkMessage({ subject, preview_text, html, text, data = false }: CheckTask): Problem[] {
  return [
    ...checkPart('/subject', subject, { kind: 'text', data }),
    ...(preview_text === null ? [] : checkPart('/preview_text', preview_text, { kind: 'html', data })),
    ...checkHtmlPart('/html', html, data),
    ...(text === null ? [] : checkPart('/text', text, { kind: 'text', data })),
  ].slice(0, maxProblems);
}

/** The problems of a template of HTML or MJML. */
export const checkHtmlPart = (path: string, source: string, data: boolean): Problem[] => [
  ...checkPart(path, source, { kind: 'html', data }),
  ...unsafeLinks(path, source),
];

function checkPart(path: string, source: string, { kind, data }: { kind: TemplateKind; data: boolean }): Problem[] {
  try {
    const unknown = compileTemplate(path, source, kind).reads.filter(({ segments }) => !isKnownField(segments, data));
    return unknown.slice(0, maxProblems).map(({ segments, line, column }) => ({
      path,
      line,
      column,
      code: 'unknown_field',
      message: `Unknown field ${fieldName(segments)}. Use one of ${[...knownFields, ...(data ? ['data.<key>'] : [])].join(', ')}.`,
    }));
  } catch (error) {
    if (error instanceof TemplateError) return [error.problem];
    throw error;
  }
}
