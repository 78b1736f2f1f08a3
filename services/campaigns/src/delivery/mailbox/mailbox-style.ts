import { createHash } from 'node:crypto';

/** The styles of the mailbox: they match the dashboard, follow the system's color scheme and fit a phone. */
export const style = `
:root { color-scheme: light dark; --text: light-dark(#1c2024, #d7d9de); --dimmed: light-dark(#5d656e, #9097a3); --line: light-dark(#e9ecef, #262b33); --sunken: light-dark(#f8f9fa, #111317); --link: light-dark(#3b5bdb, #91a7ff); }
* { box-sizing: border-box; }
body { max-width: 60rem; margin: 0 auto; padding: 40px 20px 64px; font: 14px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: var(--text); background: light-dark(#fff, #16191e); }
h1 { margin: 8px 0 4px; font-size: 26px; line-height: 1.35; overflow-wrap: anywhere; }
h2 { margin: 28px 0 10px; font-size: 16px; }
p { margin: 0 0 24px; color: var(--dimmed); }
a { color: var(--link); }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 4px; }
nav { display: flex; gap: 16px; }
nav a { color: var(--dimmed); text-decoration: none; }
nav a:hover { color: var(--text); }
ol { margin: 0; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: 8px; overflow: clip; }
li { position: relative; display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 16px; padding: 9px 14px; }
li + li { border-top: 1px solid var(--line); }
li:hover { background: var(--sunken); }
li a { color: inherit; font-weight: 500; text-decoration: none; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
li a::after { content: ""; position: absolute; inset: 0; }
li small { grid-row: 2; font-size: 12px; color: var(--dimmed); overflow: hidden; text-overflow: ellipsis; }
time { color: var(--dimmed); white-space: nowrap; font-variant-numeric: tabular-nums; }
dl { display: grid; grid-template-columns: minmax(84px, auto) minmax(0, 1fr); gap: 6px 16px; margin: 16px 0 0; }
dt { color: var(--dimmed); }
dd { margin: 0; overflow-wrap: anywhere; }
summary { width: fit-content; margin-top: 12px; color: var(--link); cursor: pointer; }
iframe { display: block; width: 100%; height: 32rem; border: 1px solid var(--line); border-radius: 8px; background: #fff; color-scheme: light; }
pre { margin: 0; padding: 14px; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; border: 1px solid var(--line); border-radius: 8px; background: var(--sunken); }
.empty { padding: 48px 16px; text-align: center; color: var(--dimmed); border: 1px dashed var(--line); border-radius: 8px; }
@media (max-width: 40em) { body { padding: 24px 16px 48px; } li { grid-template-columns: minmax(0, 1fr); } li time { font-size: 12px; } }
`;

/** The hash of the styles for the page's Content-Security-Policy, which allows no others. */
export const styleHash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
