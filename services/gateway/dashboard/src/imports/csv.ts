/** The records of a beginning of a CSV file. A last record that was cut off is left out. */
export function parseCsv(text: string, delimiter = ',', isWhole = true): string[][] {
  const records: string[][] = [];
  let [record, cell, isQuoted]: [string[], string, boolean] = [[], '', false];
  const endCell = () => {
    record.push(cell);
    cell = '';
  };
  const endRecord = () => {
    endCell();
    if (record.length > 1 || record[0] !== '') records.push(record);
    record = [];
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === delimiter) endCell();
    else if (character === '\n') endRecord();
    else if (character !== '\r') cell += character;
  }
  if (isWhole && (cell !== '' || record.length > 0)) endRecord();
  return records;
}

const delimiters = [',', ';', '\t', '|'];

/** What most likely parts the columns: what the first line has most of. */
export function delimiterIn(text: string): string {
  const [line = ''] = text.split('\n', 1);
  const amounts = delimiters.map((delimiter) => ({ delimiter, amount: line.split(delimiter).length }));
  return amounts.reduce((best, one) => (one.amount > best.amount ? one : best)).delimiter;
}
