import { fieldName, isKnownField, knownFields } from './fields.ts';
import { unsafeLinks } from './html.ts';
import { compileTemplate, type TemplateKind } from './liquid.ts';
import { type MessageTemplates, type Problem, TemplateError } from './message.ts';

const maxProblems = 20;

/** The problems of a message's templates that do not depend on a contact. */
export function checkMessage({ subject, preview_text, html, text }: MessageTemplates): Problem[] {
  return [
    ...checkPart('/subject', subject, 'text'),
    ...(preview_text === null ? [] : checkPart('/preview_text', preview_text, 'html')),
    ...checkPart('/html', html, 'html'),
    ...unsafeLinks('/html', html),
    ...(text === null ? [] : checkPart('/text', text, 'text')),
  ].slice(0, maxProblems);
}

function checkPart(path: string, source: string, kind: TemplateKind): Problem[] {
  try {
    const unknown = compileTemplate(path, source, kind).reads.filter(({ segments }) => !isKnownField(segments));
    return unknown.slice(0, maxProblems).map(({ segments, line, column }) => ({
      path,
      line,
      column,
      code: 'unknown_field',
      message: `Unknown field ${fieldName(segments)}. Use one of ${knownFields.join(', ')}.`,
    }));
  } catch (error) {
    if (error instanceof TemplateError) return [error.problem];
    throw error;
  }
}
