// It measures inside a page, so it has its types with the dashboard.
await import(new URL('../dashboard/bench/list.ts', import.meta.url).href);

export {};
