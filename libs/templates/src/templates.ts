import type checkInThread from './check-in-thread.ts';
import type { MessageTemplates, Problem, RenderedMessage, RenderLimits } from './message.ts';
import type renderInThread from './render-in-thread.ts';
import type { MessageScope } from './render-message.ts';
import { createTemplateThreads, TaskTooLarge } from './template-threads.ts';

const checkModule = new URL('./check-in-thread.ts', import.meta.url);
const renderModule = new URL('./render-in-thread.ts', import.meta.url);

type Rendering = { accountId: string; templates: MessageTemplates; limits?: RenderLimits };
type RenderingMany = Rendering & {
  scopes: readonly MessageScope[];
  /** Only what is missing and wrong is asked for: all texts are null. */
  textless?: boolean;
};

export type Templates = ReturnType<typeof createTemplates>;

/**
 * Checks and renders templates that callers wrote, in threads with limits on time, memory and size. Whatever a template
 * does, the event loop continues, and so do other accounts' templates. Everything here throws RATE_LIMITED when too much
 * of the account waits already.
 */
export function createTemplates(config: { threads?: number; taskMs?: number; maxWaiting?: number } = {}) {
  const threads = createTemplateThreads({ threads: 2, taskMs: 10_000, maxWaiting: 100, ...config });

  /**
   * Renders for the first of these scopes, in order, and for as many as one turn allows: at least one, unless there is
   * none. The caller asks again for the rest.
   */
  async function renderSome({ accountId, scopes, ...task }: RenderingMany): Promise<RenderedMessage[]> {
    try {
      return await threads.run<typeof renderInThread>(accountId, renderModule, { ...task, scopes });
    } catch (error) {
      if (!(error instanceof TaskTooLarge)) throw error;
      // One of them is too large: alone it cannot take the others with it.
      if (scopes.length > 1) return await renderSome({ accountId, scopes: scopes.slice(0, 1), ...task });
      return [
        { subject: null, preview_text: null, html: null, text: null, missing_fields: [], problems: [tooLarge('template_error', error)] },
      ];
    }
  }

  return {
    /** Everything wrong with the templates of a message: invalid Liquid, fields that do not exist, unsafe links. */
    async check({ accountId, templates }: { accountId: string; templates: MessageTemplates }): Promise<Problem[]> {
      try {
        return await threads.run<typeof checkInThread>(accountId, checkModule, templates);
      } catch (error) {
        if (error instanceof TaskTooLarge) return [tooLarge('invalid_template', error)];
        throw error;
      }
    },

    /** The message for one contact, or what is wrong with it. */
    async render({ scope, ...rendering }: Rendering & { scope: MessageScope }): Promise<RenderedMessage> {
      const [rendered] = await renderSome({ ...rendering, scopes: [scope] });
      if (!rendered) throw new Error('A thread rendered nothing.');
      return rendered;
    },

    renderSome,

    /** For other work on templates, in the same turns and limits. */
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
