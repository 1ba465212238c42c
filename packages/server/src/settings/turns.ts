import type { Emit } from '@latchkey/core/internal'
import { createOneATurn } from '@latchkey/core/internal'
import { type AddressReader, createFairTurns, type FairTurns, type HttpRequest, type TurnLimits } from '@latchkey/http'
import type { AddressSlowedEvent } from './events/server-event.ts'
import { namedWithin } from './named-by-path.ts'

/** Lets one address that sends without pause delay all others: for load tests from one machine. */
export const allowOneAddressToDelayAll: unique symbol = Symbol('allowOneAddressToDelayAll')

/** The turns of a service, and those of its probes. */
export interface ServiceTurns extends FairTurns {
  /**
   * Lets a probe begin whatever its address is, the first of a turn of the event loop at once and each other one in the next:
   * one that waits behind other requests has a well process ended. It does not count as another client that others make room
   * for. Beyond 50 a second they take turns like other requests.
   */
  enterProbe(request: HttpRequest): ReturnType<FairTurns['enter']>
}

/** Far more than load balancers send, and too few to slow down others. */
const probesPerSecond = 50

interface TurnsParts {
  readonly addresses: AddressReader
  readonly emit: Emit<AddressSlowedEvent>
}

/**
 * Creates the turns of a service; `null`: there are none.
 *
 * @throws TypeError that names the limit that cannot be used.
 */
export function createServiceTurns(
  turns: TurnLimits | typeof allowOneAddressToDelayAll | undefined,
  { addresses, emit }: TurnsParts,
): ServiceTurns | null {
  if (turns === allowOneAddressToDelayAll) return null
  if (turns !== undefined && (typeof turns !== 'object' || turns === null)) {
    throw new TypeError('"http.turns" must be an object with limits, or allowOneAddressToDelayAll')
  }
  for (const name of ['addresses', 'onSlowed', 'now', 'usage', 'together']) {
    if (turns && Object.hasOwn(turns, name))
      throw new TypeError(`createServer has no option "http.turns.${name}": it is the service's own`)
  }
  return namedWithin('http.turns', () =>
    withProbes(
      createFairTurns({
        ...turns,
        together: true,
        addresses,
        onSlowed: ({ address, share }) => emit({ type: 'address.slowed', address, share, setting: 'http.turns' }),
      }),
    ),
  )
}

function withProbes(turns: FairTurns): ServiceTurns {
  const place = createOneATurn()
  let second = 0
  let probes = 0
  return {
    ...turns,
    enterProbe(request) {
      const now = Math.floor(performance.now() / 1_000)
      if (now !== second) {
        second = now
        probes = 0
      }
      if (probes++ >= probesPerSecond) return turns.enter(request)
      const verdict = { ok: true, request } as const
      return place()?.then(() => verdict) ?? verdict
    },
  }
}
