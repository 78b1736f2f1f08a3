/*
 * Loaded into every service before its own code: its clock continues from the moment of the crash, so that what was due soon, kept for a
 * day or limited to an hour is so still, however old the fixture is.
 */
const offsetMs = Number(process.env.CLOCK_OFFSET_MS);
const now = Date.now;
Date.now = () => now() + offsetMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, given, made) => Reflect.construct(target, given.length > 0 ? given : [target.now()], made),
  apply: (target) => new target(target.now()).toString(),
});
