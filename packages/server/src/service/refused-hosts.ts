import type { Announce } from '../settings/server-event.ts'

/** The hosts that requests were refused for. */
export interface RefusedHosts {
  /** Announces a host, unless it was announced within the last hour. */
  note(host: string): void
}

export interface RefusedHostsOptions {
  readonly announce: Announce
  readonly now: () => number
}

/** Clients choose the names, so neither the memory nor the log may grow with them. */
const namesAtMost = 100
const forgottenAfterMs = 3_600_000

export function createRefusedHosts({ announce, now }: RefusedHostsOptions): RefusedHosts {
  const names = new Set<string>()
  let since = now()
  return {
    note(host) {
      const at = now()
      if (at - since >= forgottenAfterMs) {
        names.clear()
        since = at
      }
      if (names.has(host) || names.size >= namesAtMost) return
      names.add(host)
      announce({ type: 'host-refused', at, host, setting: 'allowedHosts' })
    },
  }
}
