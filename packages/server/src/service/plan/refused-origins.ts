import type { Emit } from '@latchkey/core/internal'
import type { RequestEventFields } from '../../options/observe/request-event-fields.ts'
import type { ServerEvent } from '../../options/observe/server-event.ts'

type OriginEvent = Extract<ServerEvent, { type: 'origin.refused' }>

/** The origins that were refused while an application is developed. */
export interface RefusedOrigins {
  /** Announces an origin once for each check. */
  note(origin: string, check: OriginEvent['check'], fields?: RequestEventFields): void
}

export interface RefusedOriginsOptions {
  readonly emit: Emit<OriginEvent>
  /** Allowed origins are not announced: the list has them already. */
  readonly allowed: readonly string[]
}

/** Pages choose the names, so neither the memory nor the log may grow with them. */
const namesAtMost = 100
const printable = /^[!-~]{1,200}$/

export function createRefusedOrigins({ emit, allowed }: RefusedOriginsOptions): RefusedOrigins {
  const names = new Set<string>()
  return {
    note(origin, check, fields) {
      const name = `${check} ${origin}`
      if (names.has(name) || names.size >= namesAtMost || allowed.includes(origin) || !printable.test(origin)) return
      names.add(name)
      emit({ type: 'origin.refused', ...fields, origin, check, setting: 'http.allowedOrigins' })
    },
  }
}
