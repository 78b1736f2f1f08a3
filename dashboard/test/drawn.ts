import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** What the canvas shows once the browser is idle, without any input: cards, labels and ends, the lines between them, and the places to insert. */
export const drawnOn = (page: Page) =>
  page.evaluate(async () => {
    // What an edit starts, such as measuring new cards, takes some frames.
    for (let frame = 0; frame < 4; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    await new Promise((resolve) => requestIdleCallback(resolve));
    const canvas = document.querySelector('[aria-label="Canvas"]') ?? document.body;
    const all = (selector: string) =>
      [...canvas.querySelectorAll<HTMLElement | SVGElement>(selector)].filter((one) => one.checkVisibility({ visibilityProperty: true }));
    const nodes = all('.react-flow__node').map(({ dataset: { id = '' } }) => id);
    const lines = all('[data-line]')
      .filter((line) => line instanceof SVGPathElement && line.getTotalLength() > 0)
      .map(({ dataset: { line = '' } }) => line);
    const inserts = all('button[aria-label^="Insert a step after"]').length;
    return { nodes: nodes.toSorted(), lines: lines.toSorted(), inserts };
  });

/** Asserts that a line leads to every card, label and end but the trigger. */
export async function assertDrawnWhole(page: Page) {
  const { nodes, lines, inserts } = await drawnOn(page);
  const reached = new Set(lines.map((line) => line.split('>')[1]));
  const loose = nodes.filter((id) => id !== 'trigger' && !reached.has(id));
  assert.deepEqual(loose, [], `no line leads there: ${JSON.stringify({ nodes, lines })}`);
  assert.ok(inserts > 0, 'no step can be inserted anywhere');
}
