import type attributesInThread from './attributes-in-thread.ts';
import type checkInThread from './check-in-thread.ts';
import type { Readable } from './check-message.ts';
import type compileMjmlInThread from './compile-mjml-in-thread.ts';
import { mayReadCoupons } from './coupons.ts';
import type couponsInThread from './coupons-in-thread.ts';
import type { CompiledMjml, MessageTemplates, Problem, RenderedMessage } from './message.ts';
import type renderInThread from './render-in-thread.ts';
import type { RenderLimits } from './render-limits.ts';
import type { MessageScope } from './render-message.ts';
import { createTemplateThreads, TaskTooLarge, type TemplateThreadsConfig } from './template-threads.ts';

const attributesModule = new URL('./attributes-in-thread.ts', import.meta.url);
const couponsModule = new URL('./coupons-in-thread.ts', import.meta.url);
const checkModule = new URL('./check-in-thread.ts', import.meta.url);
const mjmlModule = new URL('./compile-mjml-in-thread.ts', import.meta.url);
const renderModule = new URL('./render-in-thread.ts', import.meta.url);

type Rendering = { accountId: string; templates: MessageTemplates; limits?: RenderLimits; unsubscribe?: boolean };
type RenderingMany = Rendering & {
  scopes: readonly MessageScope[];
  /** Return only missing fields and problems; all texts are null. */
  textless?: boolean;
};

export type Templates = ReturnType<typeof createTemplates>;

/**
 * Checks and renders customers' templates in threads with limits on time, memory and size. No template can block the event loop or the
 * templates of other accounts. Every function throws RATE_LIMITED when the account's own tasks keep it waiting, and
 * SERVICE_UNAVAILABLE when the machine is too busy, or when the caller has left.
 */
export function createTemplates(config: Partial<TemplateThreadsConfig> = {}) {
  const threads = createTemplateThreads({
    threads: 2,
    maxCpuMs: 10_000,
    maxElapsedMs: 25_000,
    maxWaiting: 100,
    maxWaitMs: 10_000,
    ...config,
  });

  /**
   * Renders for the first of these scopes, in order, as many as fit in one turn: at least one, unless there are none. The caller
   * calls again with the rest.
   */
  async function renderSome({ accountId, scopes, ...task }: RenderingMany): Promise<RenderedMessage[]> {
    try {
      return await threads.run<typeof renderInThread>(accountId, renderModule, { ...task, scopes });
    } catch (error) {
      if (!(error instanceof TaskTooLarge)) throw error;
      // Rendered alone, a message that is too large does not make the others fail.
      if (scopes.length > 1) return await renderSome({ accountId, scopes: scopes.slice(0, 1), ...task });
      return [
        {
          subject: null,
          preview_text: null,
          html: null,
          text: null,
          fields: [],
          missing_fields: [],
          problems: [tooLarge('template_error', error)],
        },
      ];
    }
  }

  return {
    /** The problems of a message's templates: invalid Liquid, unknown fields, unsafe links. */
    async check({ accountId, templates, ...readable }: Readable & { accountId: string; templates: MessageTemplates }): Promise<Problem[]> {
      try {
        return await threads.run<typeof checkInThread>(accountId, checkModule, { ...templates, ...readable });
      } catch (error) {
        if (error instanceof TaskTooLarge) return [tooLarge('invalid_template', error)];
        throw error;
      }
    },

    /** The keys of the attributes that valid templates read; none if they are too large to say. */
    async attributesOf({ accountId, templates }: { accountId: string; templates: MessageTemplates }): Promise<string[]> {
      const { subject, preview_text, html, text } = templates;
      if (![subject, preview_text, html, text].some((source) => source?.includes('attributes'))) return [];
      try {
        return await threads.run<typeof attributesInThread>(accountId, attributesModule, { subject, preview_text, html, text });
      } catch (error) {
        if (error instanceof TaskTooLarge) return [];
        throw error;
      }
    },

    /** The coupons that valid templates read; none if they are too large to say. */
    async couponsOf({ accountId, templates }: { accountId: string; templates: MessageTemplates }): Promise<string[]> {
      const { subject, preview_text, html, text } = templates;
      if (!mayReadCoupons([subject, preview_text, html, text])) return [];
      try {
        return await threads.run<typeof couponsInThread>(accountId, couponsModule, { subject, preview_text, html, text });
      } catch (error) {
        if (error instanceof TaskTooLarge) return [];
        throw error;
      }
    },

    /** The HTML of MJML, or its problems, which include those of its Liquid. */
    async compileMjml({ accountId, mjml, ...readable }: Readable & { accountId: string; mjml: string }): Promise<CompiledMjml> {
      try {
        return await threads.run<typeof compileMjmlInThread>(accountId, mjmlModule, { mjml, ...readable });
      } catch (error) {
        if (error instanceof TaskTooLarge) return { html: null, problems: [{ ...tooLarge('invalid_mjml', error), path: '/mjml' }] };
        throw error;
      }
    },

    /** The message for one contact, or its problems. */
    async render({ scope, ...rendering }: Rendering & { scope: MessageScope }): Promise<RenderedMessage> {
      const [rendered] = await renderSome({ ...rendering, scopes: [scope] });
      if (!rendered) throw new Error('The template thread returned no message.');
      return rendered;
    },

    renderSome,

    /** Runs other work on templates, with the same limits and fairness. */
    run: threads.run,
    stop: threads.stop,
  };
}

const tooLarge = (code: Problem['code'], { message }: TaskTooLarge): Problem => ({
  path: '/html',
  line: null,
  column: null,
  code,
  message,
});
