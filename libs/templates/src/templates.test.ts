import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { test } from 'node:test';
import { ApiError } from '@mp/contracts/errors';
import type endless from '../test/endless-work.ts';
import type waiting from '../test/waiting-work.ts';
import type { MessageTemplates } from './message.ts';
import { TaskTooLarge } from './template-threads.ts';
import { createTemplates } from './templates.ts';

const hostile = '{% for i in (1..100000) %}<ul><li>{% endfor %}';
/** Computes until its time limit, and returns almost nothing. */
const computing = '{% for i in (1..100000) %}{% for j in (1..100000) %}{% endfor %}{% endfor %}';
const templates = (html: string): MessageTemplates => ({ subject: 'Hi {{ contact.first_name }}', preview_text: null, html, text: null });
const scope = (first_name = 'Ada') => ({ contact: { first_name }, campaign: { name: 'C' }, unsubscribe_url: 'https://mail.test/t/u' });

test('templates in threads', async (t) => {
  const { check, render, renderSome, stop } = createTemplates();
  t.after(stop);

  await t.test('render valid templates and report problems', async () => {
    const right = await render({ accountId: 'a', templates: templates('<p>{{ contact.first_name }}</p>'), scope: scope() });
    assert.deepEqual([right.subject, right.problems], ['Hi Ada', []]);
    assert.match(right.html ?? '', /^<p>Ada<\/p>/);
    const wrong = await render({ accountId: 'a', templates: templates(hostile), scope: scope() });
    assert.deepEqual([wrong.html, wrong.subject, wrong.problems.map(({ code }) => code)], [null, null, ['template_error']]);
    assert.deepEqual(await check({ accountId: 'a', templates: templates('<p>Hi</p>') }), []);
    const [problem] = await check({ accountId: 'a', templates: templates('{{ nope }}') });
    assert.deepEqual([problem?.path, problem?.code, problem?.line, problem?.column], ['/html', 'unknown_field', 1, 4]);
  });

  await t.test('renders many contacts in order, in as many turns as needed', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `n${index}`);
    const subjects: (string | null)[] = [];
    while (subjects.length < names.length) {
      const scopes = names.slice(subjects.length).map(scope);
      const rendered = await renderSome({ accountId: 'a', templates: templates(`${'<p>x</p>'.repeat(500)}`), scopes });
      assert.ok(rendered.length > 0);
      subjects.push(...rendered.map(({ subject }) => subject));
    }
    assert.deepEqual(
      subjects,
      names.map((name) => `Hi ${name}`),
    );
    const [textless] = await renderSome({ accountId: 'a', templates: templates('{{ contact.email }}'), scopes: [scope()], textless: true });
    assert.deepEqual([textless?.html, textless?.missing_fields], [null, ['contact.email']]);
  });

  await t.test('the event loop keeps running while a template computes until its limit', async () => {
    let [turns, isComputing] = [0, true];
    const count = () => {
      turns += 1;
      if (isComputing) setImmediate(count);
    };
    setImmediate(count);
    const { problems } = await render({ accountId: 'a', templates: templates(computing), scope: scope() });
    isComputing = false;
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['template_error'],
    );
    assert.ok(turns > 100, `${turns} turns`);
  });

  await t.test("a hostile template blocks neither the event loop nor another account's templates", async () => {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    let over = false;
    const first = (async () => {
      while (!over) await Promise.all([1, 2, 3].map(() => render({ accountId: 'a', templates: templates(hostile), scope: scope() })));
    })();
    delay.enable();
    for (let time = 0; time < 20; time += 1) {
      const { subject } = await render({ accountId: 'b', templates: templates('<p>Hi</p>'), scope: scope() });
      assert.equal(subject, 'Hi Ada');
    }
    delay.disable();
    over = true;
    await first;
    t.diagnostic(`event loop held up for ${Math.round(delay.max / 1e6)} ms at most`);
  });
});

test('terminates a thread that computes and does not finish, and the next task gets a new one', async (t) => {
  const { run, render, stop } = createTemplates({ threads: 1, maxCpuMs: 2_000 });
  t.after(stop);
  await assert.rejects(run<typeof endless>('a', new URL('../test/endless-work.ts', import.meta.url), undefined as never), TaskTooLarge);
  // A new thread may need longer than this limit to start on a busy machine.
  for (let attempt = 0; ; attempt += 1) {
    const { subject } = await render({ accountId: 'b', templates: templates('<p>Hi</p>'), scope: scope() });
    if (subject === 'Hi Ada') break;
    assert.ok(attempt < 20);
  }
});

test('the time of a task is its CPU time; one that does not get it in time can be retried', async (t) => {
  const { run, stop } = createTemplates({ threads: 1, maxCpuMs: 1_000, maxElapsedMs: 20_000 });
  t.after(stop);
  const waitFor = (ms: number) => run<typeof waiting>('a', new URL('../test/waiting-work.ts', import.meta.url), ms as never);
  assert.equal(await waitFor(3_000), 'done');
  await assert.rejects(
    waitFor(600_000),
    (error) => error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE' && error.retryAfter !== undefined,
  );
  assert.equal(await waitFor(0), 'done', 'the next task gets a new thread');
});
