import Papa from 'papaparse';

/** The delimiters that the API accepts, with their names. */
export const delimiters = { ',': 'Comma', ';': 'Semicolon', '\t': 'Tab', '|': 'Vertical bar' } as const;
export type Delimiter = keyof typeof delimiters;

type Beginning = { records: string[][]; delimiter: Delimiter };

const isDelimiter = (text: string): text is Delimiter => Object.hasOwn(delimiters, text);

/**
 * The first `maxRecords` records of a CSV file and its delimiter: `delimiter`, or else the detected one. The delimiter
 * is sent with the import, so that the server reads the same columns. A last record that may be cut off is skipped.
 */
export function readBeginning(text: string, isComplete: boolean, maxRecords: number, delimiter?: Delimiter): Beginning {
  const lines = isComplete ? text : text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1);
  const { data, meta, errors } = Papa.parse<string[]>(lines, {
    delimiter: delimiter ?? '',
    delimitersToGuess: Object.keys(delimiters),
    preview: maxRecords,
    skipEmptyLines: 'greedy',
  });
  // The sample may end within a quoted cell of several lines.
  const isCut = !isComplete && errors.some(({ code }) => code === 'MissingQuotes');
  return { records: isCut ? data.slice(0, -1) : data, delimiter: isDelimiter(meta.delimiter) ? meta.delimiter : ',' };
}
