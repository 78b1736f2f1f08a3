import { unsafeLinks } from './check-html.ts';
import { couponFault, couponOf, couponsOf } from './coupons.ts';
import { type Captured, fieldName, isCapturedResponse, isKnownField, knownFields, notCaptured } from './fields.ts';
import { foreignTags } from './foreign-syntax.ts';
import { compileTemplate, type TemplateKind } from './liquid.ts';
import { type MessageTemplates, type Problem, TemplateError } from './message.ts';
import { nearField } from './near-fields.ts';

const maxProblems = 20;

/** What the templates may read besides the contact. */
export type Readable = {
  /** `data` and `responses`, which transactional messages and those of workflows have. */
  data?: boolean | undefined;
  /** Of `responses` only these. */
  responses?: Captured | undefined;
  /** The coupons of the account; not checked if undefined. */
  coupons?: readonly string[] | undefined;
};

export type CheckTask = MessageTemplates & Readable;

/** The problems of a message's templates that do not depend on a contact. */
export function checkMessage({ subject, preview_text, html, text, ...readable }: CheckTask): Problem[] {
  const found = [
    ...checkPart('/subject', subject, { kind: 'text', ...readable }),
    ...(preview_text === null ? [] : checkPart('/preview_text', preview_text, { kind: 'html', ...readable })),
    ...checkHtmlPart('/html', html, readable),
    ...(text === null ? [] : checkPart('/text', text, { kind: 'text', ...readable })),
  ].slice(0, maxProblems);
  return found.length > 0 ? found : severalCoupons({ subject, preview_text, html, text });
}

/** An email hands out the code of one coupon, so that the ledger can say which. */
function severalCoupons({ subject, preview_text, html, text }: MessageTemplates): Problem[] {
  const parts = Object.entries({ subject, preview_text, html, text }).map(([part, source]) => ({
    path: `/${part}`,
    reads: compileTemplate('', source ?? '', 'text').reads,
  }));
  const [first, second] = couponsOf(parts.flatMap(({ reads }) => reads));
  if (first === undefined || second === undefined) return [];
  return parts.flatMap(({ path, reads }) => {
    const read = reads.find(({ segments }) => couponOf(segments) === second);
    const message = `An email can use one coupon; this one uses ${first} and ${second}.`;
    return read ? [{ path, line: read.line, column: read.column, code: 'several_coupons' as const, message }] : [];
  });
}

/** The problems of a template of HTML or MJML. */
export const checkHtmlPart = (path: string, source: string, readable: Readable): Problem[] => [
  ...checkPart(path, source, { kind: 'html', ...readable }),
  ...unsafeLinks(path, source),
];

function checkPart(path: string, source: string, { kind, ...readable }: Readable & { kind: TemplateKind }): Problem[] {
  try {
    const found: Problem[] = foreignTags(source)
      .slice(0, maxProblems)
      .map(({ index, message }) => ({ path, ...positionOf(source, index), code: 'unknown_field', message }));
    for (const { segments, line, column } of compileTemplate(path, source, kind).reads) {
      if (found.length >= maxProblems) break;
      const message = faultOf(segments, readable);
      if (message !== undefined) {
        found.push({ path, line, column, code: 'unknown_field', message });
        continue;
      }
      const coupon = readable.coupons && couponOf(segments);
      const fault = coupon === undefined ? undefined : couponFault(coupon, readable.coupons ?? []);
      if (fault !== undefined) found.push({ path, line, column, code: 'unknown_coupon', message: fault });
    }
    return found;
  } catch (error) {
    if (error instanceof TemplateError) return [error.problem];
    throw error;
  }
}

const positionOf = (source: string, index: number) => {
  const before = source.slice(0, index);
  return { line: before.split('\n').length, column: index - before.lastIndexOf('\n') };
};

/** Why a template cannot read a field. */
function faultOf(segments: readonly unknown[], { data = false, responses }: Readable): string | undefined {
  const name = fieldName(segments);
  if (!isKnownField(segments, data)) {
    const known = [...knownFields, ...(data ? ['data.<key>', 'responses.<step>.<name>'] : [])];
    return `Unknown field ${name}.${nearField(name)} Use one of ${known.join(', ')}.`;
  }
  if (segments[0] !== 'responses' || !responses || isCapturedResponse(segments, responses)) return undefined;
  return notCaptured(name, responses);
}
