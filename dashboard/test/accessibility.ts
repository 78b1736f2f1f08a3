import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { endsHangingActionMs } from './browser.ts';

const wide = { width: 1440, height: 900 };
const narrow = { width: 390, height: 844 };

export const appearances = [wide, narrow].flatMap((viewport) => [
  { viewport, colorScheme: 'light' as const },
  { viewport, colorScheme: 'dark' as const },
]);

/** Dark mode changes only colors, so only these rules are checked again. */
const colorRules = ['color-contrast', 'link-in-text-block'];

export type Found = Record<string, Record<string, string[]>>;

/** Records serious accessibility violations by viewport and color scheme. Asserts that the page fits the viewport and nothing is misplaced. */
export async function lookAt(page: Page, name: string, found: Found, where: { within?: string } = {}) {
  for (const viewport of [narrow, wide]) {
    await page.setViewportSize(viewport);
    for (const { colorScheme } of appearances.filter((one) => one.viewport === viewport)) {
      await page.emulateMedia({ colorScheme });
      await inScheme(page, colorScheme);
      const serious = await violations(page, { ...where, rules: colorScheme === 'light' ? undefined : colorRules });
      if (Object.keys(serious).length > 0) found[`${name}, ${viewport.width} px, ${colorScheme}`] = serious;
    }
    const loose = await misplaced(page);
    assert.deepEqual(loose, [], `${name}, ${viewport.width} px`);
    const fits = await comesToFit(page, viewport.width);
    assert.ok(fits, fits ? '' : `${name} is wider than ${viewport.width} px: ${await widest(page)}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Cells that reach out of their panel, metrics that break inside or are cut off, and rows of metrics that leave a hole. */
export const misplaced = (page: Page) =>
  page.evaluate(() => {
    const edge = (element: Element) => element.getBoundingClientRect().right;
    const scrolls = (element: Element | null): boolean =>
      element !== null &&
      element.tagName !== 'SECTION' &&
      (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
    const cells = [...document.querySelectorAll('main section :is(th, td)')].filter((cell) => {
      const panel = cell.closest('section');
      return panel !== null && !scrolls(cell) && edge(cell) > edge(panel) + 1;
    });
    const numbers = [...document.querySelectorAll('[data-number]')].filter((number) => {
      const text = document.createRange();
      text.selectNodeContents(number);
      const lines = new Set([...text.getClientRects()].map(({ top }) => Math.round(top)));
      return lines.size > 1 || number.scrollWidth > number.clientWidth + 1;
    });
    const rows = [...document.querySelectorAll('section:has([data-number]):not(:has(section)) > :has([data-number])')].filter((row) => {
      const last = row.lastElementChild;
      return last?.matches(':has([data-number])') && edge(last) < edge(row) - 3;
    });
    return [...cells, ...numbers, ...rows].map((element) => element.outerHTML.slice(0, 200));
  });

/** Waits until the page has the colors of the scheme: the dashboard changes them only when it is told. */
const inScheme = (page: Page, colorScheme: 'light' | 'dark') =>
  page.waitForFunction(
    (scheme) =>
      (document.documentElement.dataset.mantineColorScheme ?? scheme) === scheme &&
      // On the way from one scheme to the other, colors are of neither.
      !document.getAnimations().some((animation) => animation instanceof CSSTransition),
    colorScheme,
  );

/** Waits until the page fits: charts take their width from the page after layout. */
const comesToFit = (page: Page, width: number) =>
  page
    .waitForFunction((max) => document.documentElement.scrollWidth <= max, width, { timeout: endsHangingActionMs })
    .then(() => true)
    .catch(() => false);

/** The element that reaches furthest to the right, outside of those that scroll. */
const widest = (page: Page) =>
  page.evaluate(() => {
    const scrolls = (element: Element | null): boolean =>
      element !== null && (getComputedStyle(element).overflowX !== 'visible' || scrolls(element.parentElement));
    const elements = [...document.querySelectorAll('main *')].filter((element) => !scrolls(element.parentElement));
    const right = (element: Element) => element.getBoundingClientRect().right;
    return elements.toSorted((a, b) => right(b) - right(a))[0]?.outerHTML.slice(0, 300);
  });

/** Further rows of a list are like the first five, and are slow to check. */
const repeated = ['[role="row"]:nth-child(n+6)', 'tbody tr:nth-child(n+6)'];

type Axe = Pick<typeof import('axe-core'), 'run'>;
type Options = { rules?: readonly string[] | undefined; within?: string };

/** Violations that axe-core rates serious or critical, with their elements. */
export async function violations(page: Page, { rules, within = 'html' }: Options = {}): Promise<Record<string, string[]>> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(
    async ({ rules: runOnly, include, exclude }) => {
      const { axe: loaded } = window as unknown as { axe: Axe };
      // `preload` would fetch the style sheets again, which only the rule on screen orientation needs.
      // Pseudo-elements (a row's click area, a status dot) would otherwise exclude their elements from the contrast check.
      const checks = { 'color-contrast': { options: { ignorePseudo: true } } };
      const options = {
        resultTypes: ['violations' as const],
        iframes: false,
        preload: false,
        checks,
        ...(runOnly && { runOnly: [...runOnly] }),
      };
      const { violations: all } = await loaded.run({ include, exclude }, options);
      const serious = all.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      return Object.fromEntries(
        serious.map(({ id, nodes }) => [id, nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`)]),
      );
    },
    { rules, include: [[within]], exclude: repeated.map((selector) => [selector]) },
  );
}
