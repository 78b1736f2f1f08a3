import { Token } from 'liquidjs';

/** Where the lines of the template that was looked at last begin. */
let latest = { input: '', starts: [0] };

/**
 * liquidjs counts lines from the start of the template for each variable that it lists, so that the time it takes grows
 * with the square of their number: a template of the largest size could stop the service for a minute. Counted once for
 * each template, the places are the same.
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
