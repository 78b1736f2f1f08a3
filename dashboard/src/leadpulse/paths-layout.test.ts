import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathsLayout } from './paths-layout.ts';

const steps = [
  {
    step: 1,
    nodes: [
      { node: '/', sessions: 60, ended: 10 },
      { node: null, sessions: 40, ended: 20 },
    ],
    links: [
      { from: '/', to: '/pricing', sessions: 50 },
      { from: null, to: '/pricing', sessions: 20 },
    ],
  },
  { step: 2, nodes: [{ node: '/pricing', sessions: 70, ended: 70 }], links: [] },
];

test('heights are in proportion to sessions, and nodes and bands do not overlap', () => {
  const { nodes, links, width, height } = pathsLayout({ steps });
  const [home, others, pricing] = nodes;
  assert.ok(home && others && pricing);
  assert.ok(Math.abs(home.height / others.height - 1.5) < 1e-9);
  assert.ok(others.y >= home.y + home.height);
  assert.deepEqual([home.x, pricing.x > home.x, pricing.x < width], [0, true, true]);
  assert.ok(nodes.every((node) => node.y + node.height <= height));
  const total = links.reduce((sum, link) => sum + link.width, 0);
  assert.ok(Math.abs(total - pricing.height) < 1e-9, 'the bands fill the node they lead to');
});

test('without paths the picture is empty', () => {
  assert.deepEqual(pathsLayout({ steps: [{ step: 1, nodes: [], links: [] }] }).nodes, []);
});
