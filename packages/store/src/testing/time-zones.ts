interface Host {
  readonly process?: { readonly env: Record<string, string | undefined> }
}

const env = (globalThis as Host).process?.env

/** Makes a call while this process has the local time of a zone. */
export async function inTimeZone<Result>(zone: string, call: () => Promise<Result>): Promise<Result> {
  const before = env?.TZ
  setTimeZone(zone)
  try {
    return await call()
  } finally {
    setTimeZone(before)
  }
}

/** Returns whether the runtime lets a program choose the time zone: Node.js does, except in worker threads. */
export function canSetTimeZone(): boolean {
  const before = env?.TZ
  const offsets = ['America/New_York', 'Asia/Kolkata'].map((zone) => {
    setTimeZone(zone)
    return new Date(0).getTimezoneOffset()
  })
  setTimeZone(before)
  return offsets[0] !== offsets[1]
}

function setTimeZone(zone: string | undefined): void {
  if (!env) return
  if (zone === undefined) delete env.TZ
  else env.TZ = zone
}
