/** The templates of a message. A message with empty `html` has only text. */
export type MessageTemplates = { subject: string; preview_text: string | null; html: string; text: string | null };

/** MJML compiled to HTML, or its problems. */
export type CompiledMjml = { html: string; problems: [] } | { html: null; problems: Problem[] };

/** A problem of a template: its position, a stable code, and how to fix it. */
export type Problem = {
  /** The part of the message, as a JSON pointer: `/subject`, `/preview_text`, `/html`, `/mjml` or `/text`. */
  path: string;
  /** From 1; null when the problem has no single position. */
  line: number | null;
  column: number | null;
  code: 'invalid_template' | 'invalid_mjml' | 'unknown_field' | 'unsafe_link' | 'template_error' | 'unknown_coupon' | 'several_coupons';
  message: string;
};

/** A message rendered for one contact. All texts are null when there are problems. */
export type RenderedMessage = {
  subject: string | null;
  preview_text: string | null;
  html: string | null;
  text: string | null;
  /** Fields that the templates read. */
  fields: string[];
  /** Fields that the templates read and that are empty for this contact. */
  missing_fields: string[];
  problems: Problem[];
};

/** Thrown when a template cannot be parsed or rendered. */
export class TemplateError extends Error {
  readonly problem: Problem;

  constructor(
    problem: Omit<Problem, 'line' | 'column'> & { line?: number | undefined; column?: number | undefined },
    options?: ErrorOptions,
  ) {
    super(problem.message, options);
    this.name = 'TemplateError';
    this.problem = { ...problem, line: problem.line ?? null, column: problem.column ?? null };
  }
}
