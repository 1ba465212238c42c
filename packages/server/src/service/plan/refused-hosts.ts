import type { Emit } from '@latchkey/core/internal'
import type { RequestEventFields } from '../../options/observe/request-event-fields.ts'
import type { ServerEvent } from '../../options/observe/server-event.ts'

type HostEvent = Extract<ServerEvent, { type: 'host.refused' }>

/** The hosts that requests were refused for. */
export interface RefusedHosts {
  /** Announces a host, unless it was announced within the last hour. */
  note(host: string, fields: RequestEventFields, setting: HostEvent['setting']): void
}

export interface RefusedHostsOptions {
  readonly emit: Emit<HostEvent>
  readonly now: () => number
}

/** Clients choose the names, so neither the memory nor the log may grow with them. */
const namesAtMost = 100
const forgottenAfterMs = 3_600_000

export function createRefusedHosts({ emit, now }: RefusedHostsOptions): RefusedHosts {
  const names = new Set<string>()
  let since = Number.NEGATIVE_INFINITY
  return {
    note(host, fields, setting) {
      const at = now()
      if (at - since >= forgottenAfterMs) {
        names.clear()
        since = at
      }
      if (names.has(host) || names.size >= namesAtMost) return
      names.add(host)
      emit({ type: 'host.refused', ...fields, host, setting })
    },
  }
}
