import { MongoClient } from 'mongodb';

const c = new MongoClient(process.argv[2], { directConnection: true });
await c.connect();
const seen = new Map();
const end = Date.now() + Number(process.argv[3]);
while (Date.now() < end) {
  const { inprog } = await c.db('admin').command({ currentOp: 1, active: true });
  for (const o of inprog) {
    if (!o.command || o.command.currentOp || o.op === 'none') continue;
    const cmd = Object.keys(o.command)[0];
    const k =
      o.ns +
      ' ' +
      cmd +
      ' ' +
      JSON.stringify(Object.keys(o.command.filter ?? o.command.q ?? o.command.query ?? {})) +
      ' ' +
      (o.planSummary ?? '');
    seen.set(k, (seen.get(k) ?? 0) + 1);
  }
  await new Promise((r) => setTimeout(r, 7));
}
console.log([...seen].sort((a, b) => b[1] - a[1]).slice(0, 15));
process.exit(0);
