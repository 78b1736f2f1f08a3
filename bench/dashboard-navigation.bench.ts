// The benchmark runs in a page, so it is type-checked with the dashboard.
await import(new URL('../dashboard/bench/navigation.ts', import.meta.url).href);

export {};
