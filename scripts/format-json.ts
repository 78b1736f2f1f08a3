import stringify from 'json-stringify-pretty-compact';

/** JSON with short objects and lists on one line, so that the diff of a generated document can be read. */
export const formatJson = (value: unknown) => `${stringify(value, { maxLength: 140 })}\n`;
