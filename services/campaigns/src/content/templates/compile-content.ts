import { invalid } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import { problemError } from '@mp/templates/problem-error';
import type { Templates } from '@mp/templates/templates';
import type { FindCoupons, RequireValidTemplates } from './require-valid-templates.ts';

type Content = { subject: string; preview_text: string | null; html: string; mjml: string | null; text: string | null };

/** The earlier content, whose HTML may still be right. */
type Compiled = { html: string; mjml: string | null };

export type CompileContent = ReturnType<typeof createCompileContent>;

/**
 * Compiles the MJML of a content to its HTML and checks all of it. Throws VALIDATION_ERROR with the part, line and column of
 * each error, and if there is neither HTML nor text. `data`: whether the templates may read `data`.
 */
export function createCompileContent(
  { compileMjml }: Pick<Templates, 'compileMjml'>,
  requireValidTemplates: RequireValidTemplates,
  findCoupons: FindCoupons,
) {
  async function htmlOf(accountId: AccountId, { html, mjml }: Content, before: Compiled | undefined, data: boolean) {
    if (mjml === null || (mjml === before?.mjml && before.html !== '')) return html;
    const compiled = await compileMjml({ accountId, mjml, data, coupons: await findCoupons(accountId, [mjml]) });
    const error = problemError(compiled.problems);
    if (error) throw error;
    return compiled.html ?? '';
  }

  return async <T extends Content>(
    accountId: AccountId,
    content: T,
    { before, data = false }: { before?: Compiled; data?: boolean } = {},
  ) => {
    const compiled = { ...content, html: await htmlOf(accountId, content, before, data) };
    if (compiled.html === '' && compiled.text === null) throw invalid('/html', 'required', 'The email is empty; set html, mjml or text.');
    await requireValidTemplates(accountId, compiled, { data });
    return compiled;
  };
}

/** Throws VALIDATION_ERROR for HTML that differs from what MJML compiles to. */
export function requireOwnHtml(body: { html?: string | undefined; mjml?: string | null | undefined }, before?: Compiled) {
  const mjml = body.mjml === undefined ? (before?.mjml ?? null) : body.mjml;
  if (mjml === null || body.html === undefined || body.html === '' || body.html === before?.html) return;
  throw invalid('/html', 'read_only', 'html is compiled from mjml; omit html, or set mjml to null to write html yourself.');
}
