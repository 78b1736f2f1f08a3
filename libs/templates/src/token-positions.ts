import { Token } from 'liquidjs';

/** The line starts of the last template. */
let latest = { input: '', starts: [0] };

/**
 * liquidjs counts lines from the start of the template for every variable, so its time grows with the square of their number: the
 * largest template could block a service for a minute. This computes the line starts once per template, with the same results.
 */
Token.prototype.getPosition = function (this: Token) {
  if (this.input !== latest.input)
    latest = { input: this.input, starts: [0, ...[...this.input.matchAll(/\n/g)].map(({ index }) => index + 1)] };
  const { starts } = latest;
  let [row, above] = [0, starts.length];
  while (above - row > 1) {
    const middle = (row + above) >> 1;
    if ((starts[middle] ?? 0) <= this.begin) row = middle;
    else above = middle;
  }
  return [row + 1, this.begin - (starts[row] ?? 0) + 1];
};
