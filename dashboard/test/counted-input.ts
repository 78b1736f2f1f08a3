import type { Locator, Page } from 'playwright-core';

type File = { name: string; mimeType: string; buffer: Buffer };

/** What an average person takes, by the keystroke-level model: to think, point and press; to move the hand to the keys and back; per key. */
const [clickMs, reachMs, keyMs] = [2_650, 800, 280];

/**
 * What a person does who uses the mouse, and the keyboard only to type into fields, with its count. `look` is called before each
 * action, when the page is as the person reads it.
 */
export function createCountedInput(page: Page, look: () => Promise<void> = async () => undefined) {
  let [clicks, fields, characters] = [0, 0, 0];

  async function click(target: Locator, clickCount = 1) {
    await target.waitFor();
    await look();
    clicks += 1;
    await target.click({ clickCount });
  }

  /** Replaces what is in the field; in an email, the paragraph. */
  async function type(field: Locator, text: string) {
    await click(field, 3);
    fields += 1;
    characters += text.length;
    await page.keyboard.type(text);
  }

  return {
    click,
    type,
    /** Chooses from a native list, which opens and closes with a click each. */
    async choose(list: Locator, option: string) {
      await look();
      clicks += 2;
      await list.selectOption(option);
    },
    /** Types the beginning of a suggestion and clicks it. */
    async pick(field: Locator, text: string, option: string) {
      await type(field, text);
      await click(page.getByRole('option', { name: option, exact: true }));
    },
    /** Chooses a file in the dialog of the system, with two clicks. */
    async upload(button: Locator, file: File) {
      const choosing = page.waitForEvent('filechooser');
      await click(button);
      clicks += 2;
      await (await choosing).setFiles(file);
    },
    effort: () => {
      const seconds = Math.round((clicks * clickMs + fields * reachMs + characters * keyMs) / 1_000);
      return { clicks, characters, seconds };
    },
  };
}

export type CountedInput = ReturnType<typeof createCountedInput>;
