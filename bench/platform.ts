import { startPlatform } from '../tests/platform.ts';

/** Starts the platform for a benchmark and always stops it afterwards. */
export async function withPlatform(
  measure: (platform: Awaited<ReturnType<typeof startPlatform>>) => Promise<void>,
  options: Parameters<typeof startPlatform>[1] = {},
) {
  const cleanUps: (() => Promise<void>)[] = [];
  try {
    await measure(
      await startPlatform({ after: (cleanUp) => cleanUps.push(cleanUp) }, { ...options, env: { LOG_LEVEL: 'warn', ...options.env } }),
    );
  } finally {
    for (const cleanUp of cleanUps) await cleanUp();
  }
}
