/** The templates of a message: what it says before it is about a contact. */
export type MessageTemplates = { subject: string; preview_text: string | null; html: string; text: string | null };

/** Something wrong with a template: where it is, a stable code, and what would be right. */
export type Problem = {
  /** The part of the message, as a JSON pointer: `/subject`, `/preview_text`, `/html` or `/text`. */
  path: string;
  /** Counted from one; null when the problem is not at one place. */
  line: number | null;
  column: number | null;
  code: 'invalid_template' | 'unknown_field' | 'unsafe_link' | 'template_error';
  message: string;
};

/** A message for one contact. All of its texts are null when there are problems. */
export type RenderedMessage = {
  subject: string | null;
  preview_text: string | null;
  html: string | null;
  text: string | null;
  /** Fields that the templates read and this contact does not have. */
  missing_fields: string[];
  problems: Problem[];
};

/** What rendering one message may take. */
export type RenderLimits = {
  /** Computing time of all its Liquid, in ms. */
  maxRenderMs: number;
  /** Characters of each rendered part. */
  maxOutput: number;
  /** How deep elements may be nested, and how many there may be. */
  maxDepth: number;
  maxElements: number;
};

/** No mail client shows a megabyte, and no message is nested or divided like that. */
export const defaultLimits: RenderLimits = { maxRenderMs: 500, maxOutput: 1_048_576, maxDepth: 200, maxElements: 20_000 };

/** A template that cannot be parsed or rendered, and why. */
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
