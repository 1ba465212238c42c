// Imported before a program: the wall clock of its process is wrong by SKEW_MS milliseconds, and what it does each minute
// it does each MINUTE_MS.
const skewMs = Number(process.env.SKEW_MS ?? 0)
const minuteMs = Number(process.env.MINUTE_MS ?? 60_000)
const { now } = Date
const skewed = (): number => now() + skewMs

globalThis.Date = new Proxy(Date, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [skewed()] : given, newTarget),
  get: (target, name, receiver) => (name === 'now' ? skewed : Reflect.get(target, name, receiver)),
})

globalThis.setInterval = new Proxy(setInterval, {
  apply: (target, self, [work, delayMs, ...given]) =>
    Reflect.apply(target, self, [work, delayMs === 60_000 ? minuteMs : delayMs, ...given]),
})
