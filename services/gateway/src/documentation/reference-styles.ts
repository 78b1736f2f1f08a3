/** Corrections to Scalar's page: contrast of at least 4.5:1, names for its copy buttons, and lists that scroll with the page. */
export const referenceStyles = `.light-mode {
  --scalar-color-2: #5c5c5c;
  --scalar-color-3: #686868;
  --scalar-color-blue: #0067a8;
  --scalar-color-green: #00734a;
  --scalar-color-orange: #a83a00;
  --scalar-color-red: #c80000;
}
.dark-mode {
  --scalar-color-3: #9a9a9a;
  --scalar-color-red: #ff6b6b;
}
.scalar-code-copy .sr-only > span { display: inline; }
.scalar-app .scalar-card-content:has(> .endpoints),
.scalar-app .scalar-card-content > .endpoints { max-height: none; overflow: clip; }
.scalar-app .endpoint-path { overflow-wrap: anywhere; white-space: normal; }`;
