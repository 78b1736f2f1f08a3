import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { startPlatform } from '../../tests/platform.ts';
import { cardId } from '../src/workflows/canvas/card-id.ts';
import { type History, historyOf, record, redo, undo } from '../src/workflows/canvas/history.ts';
import { draw } from '../src/workflows/canvas/layout.ts';
import { newStep, stepKinds } from '../src/workflows/canvas/step-kinds.ts';
import { type Definition, firstDefinition } from '../src/workflows/definition.ts';
import { pathsOf, slotsOf, stepOf } from '../src/workflows/edits/graph.ts';
import { canInsert, canMove, canRemove, copyOf, duplicate, insert, move, remove } from '../src/workflows/edits/step-edits.ts';
import { openBrowser, withoutBrowser } from './browser.ts';
import { builtDashboard } from './built-dashboard.ts';
import { drawnOn } from './drawn.ts';
import { createOpen } from './journey.ts';

const maxSteps = 9;
const types = ['add_tag', 'delay', 'branch', 'wait_until', 'split', 'send', 'exit'] as const;
const kinds = ['insert', 'insert', 'insert', 'duplicate', 'move', 'paste', 'remove', 'undo', 'redo'] as const;

const keysOf = { duplicate: ['Control+d'], remove: ['Delete'], move: ['Alt+ArrowDown'], paste: ['Control+c', 'Control+v'] } as const;

/** Edits a workflow by mouse and keys, and a copy of it as the canvas should; looks after each edit, before any other input. */
test('after every edit the canvas shows each step, each line and each place to insert, even on a slow machine', {
  skip: withoutBrowser,
}, async (t) => {
  const [platform, browser] = await Promise.all([startPlatform(t, { services: ['gateway'] }), openBrowser(t), builtDashboard()]);
  const open = await createOpen(t, platform, browser);

  const edits = async (t: TestContext, { times, slowdown, seed }: { times: number; slowdown: number; seed: number }) => {
    const { page, context } = await open(t, '/workflows/new');
    const devtools = await context.newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    const [choices = []] = fc.sample(
      fc.array(fc.tuple(fc.constantFrom(...kinds), fc.nat(100), fc.nat(100)), { minLength: times, maxLength: times }),
      {
        numRuns: 1,
        seed,
      },
    );
    let history: History<Definition> = historyOf(firstDefinition);
    await looksLike(page, history.present, 'at the start');
    const done: string[] = [];
    for (const [wanted, at, of] of choices) {
      const kind = wanted === 'insert' && history.present.steps.length >= maxSteps ? 'undo' : wanted;
      history = await edited(page, history, kind, at, of, done);
      await looksLike(page, history.present, done.slice(-6).join(', '));
    }
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  };

  await t.test('200 edits', (t) => edits(t, { times: 200, slowdown: 1, seed: 1 }));
  await t.test('40 edits on a machine that is six times slower', (t) => edits(t, { times: 40, slowdown: 6, seed: 2 }));
});

async function looksLike(page: Page, definition: Definition, after: string) {
  const { placed, lines } = draw(definition);
  const expected = {
    nodes: placed.map(({ id }) => id).toSorted(),
    lines: lines.map(({ id }) => id).toSorted(),
    inserts: slotsOf(definition).length,
  };
  // The edit itself may take a while; what it draws must then be whole.
  await eventually(async () => (await drawnOn(page)).nodes.join() === expected.nodes.join());
  assert.deepEqual(await drawnOn(page), expected, after);
}

type Now = History<Definition>;

/** Makes an edit on the page and returns what it should lead to. */
async function edited(page: Page, history: Now, kind: (typeof kinds)[number], at: number, of: number, done: string[]): Promise<Now> {
  const definition = history.present;
  if (kind === 'undo' || kind === 'redo') {
    const next = kind === 'undo' ? undo(history) : redo(history);
    if (next === history) return history;
    done.push(kind);
    await page.getByRole('button', { name: kind === 'undo' ? 'Undo' : 'Redo' }).click();
    return next;
  }
  if (kind === 'insert') {
    const slots = slotsOf(definition);
    const slot = slots[at % slots.length];
    const type = types[of % types.length];
    if (!slot || !type || !canInsert(definition, slot, type)) return history;
    done.push(`insert ${type} after ${slot.from ?? 'the trigger'}, path ${slot.path}`);
    const button = page.locator(`button[data-slot="${slot.from ?? ''}:${slot.path}"]`);
    await page.getByRole('button', { name: 'Show all' }).click();
    await button.click();
    await page.getByRole('option').getByText(stepKinds[type].name, { exact: true }).click();
    return record(history, insert(definition, slot, newStep(definition, type)));
  }
  const step = definition.steps[at % Math.max(1, definition.steps.length)];
  const below = step && { from: step.id, path: 0 };
  const next = {
    duplicate: () => step && definition.steps.length < maxSteps && duplicate(definition, step.id),
    remove: () => step && canRemove(definition, step.id) && remove(definition, step.id),
    move: () => step && canMove(definition, step.id, 'down') && move(definition, step.id, 'down'),
    paste: () =>
      step &&
      below &&
      definition.steps.length < maxSteps &&
      pathsOf(step).length > 0 &&
      canInsert(definition, below, step.type) &&
      insert(definition, below, copyOf(definition, step)),
  }[kind]();
  if (!step || !next) return history;
  done.push(`${kind} ${step.id}`);
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.locator(`[data-card="${cardId(step.id)}"]`).click();
  assert.ok(stepOf(definition, step.id));
  for (const keys of keysOf[kind]) await page.keyboard.press(keys);
  return record(history, next);
}
