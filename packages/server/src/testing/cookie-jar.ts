/** The cookies of a browser for one origin, by the clock of the test. */
export interface CookieJar {
  /** Stores the `Set-Cookie` lines of an answer. */
  keep(lines: readonly string[]): void
  get(name: string): string | null
  /** Returns the value of the header `Cookie`; empty without cookies. */
  header(): string
}

interface KeptCookie {
  readonly value: string
  readonly endsAt: number
}

/** Reads no attribute but `Max-Age`: every cookie of a service is for its origin only and for all paths. */
export function createCookieJar(now: () => number): CookieJar {
  const cookies = new Map<string, KeptCookie>()
  const live = (): [name: string, cookie: KeptCookie][] => [...cookies].filter(([, { endsAt }]) => endsAt > now())
  return {
    keep(lines) {
      for (const line of lines) {
        const [pair = '', ...attributes] = line.split(/; */)
        const [name = '', value = ''] = pair.split(/=(.*)/s)
        cookies.set(name, { value, endsAt: endOf(attributes, now()) })
      }
    },
    get: (name) => live().find(([one]) => one === name)?.[1].value ?? null,
    header: () =>
      live()
        .map(([name, { value }]) => `${name}=${value}`)
        .join('; '),
  }
}

function endOf(attributes: readonly string[], now: number): number {
  const seconds = attributes.map((one) => /^max-age=(-?\d+)$/i.exec(one)?.[1]).find((one) => one !== undefined)
  return seconds === undefined ? Number.POSITIVE_INFINITY : now + Number(seconds) * 1000
}
