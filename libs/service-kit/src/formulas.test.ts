import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guardFormula, unguardFormula } from './formulas.ts';

test('a cell that a spreadsheet would run is guarded, even behind blanks and invisible characters, and reads back as it was', () => {
  for (const before of ['', ' ', '  ', '\u00a0', '\u200b', '\ufeff', '\u200b \ufeff', '\u2060', "'"])
    for (const sign of ['=', '+', '-', '@', '\uff1d']) {
      const cell = `${before}${sign}HYPERLINK("https://a.example")`;
      assert.equal(guardFormula(cell), `'${cell}`, JSON.stringify(cell));
      assert.equal(unguardFormula(guardFormula(cell)), cell);
    }
  for (const cell of ['Ada', 'a=b', "'quoted'", 'x\u200b=1']) assert.equal(guardFormula(cell), cell);
});
