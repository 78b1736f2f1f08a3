/** A page of text for browsers. Needs no script. */
export const plainPage = ({ title, styles, body }: { title: string; styles: string; body: string }): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
html { background: canvas; color: canvastext; }
body { margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word; }
a { color: light-dark(#0050c8, #8ab4f8); }
${styles}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
