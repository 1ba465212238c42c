import type { Emit } from '@latchkey/core/internal'
import { createOneATurn } from '@latchkey/core/internal'
import type { AddressReader, HttpRequest } from '@latchkey/http'
import type { FairQueue, FairQueueOptions } from '@latchkey/http/fair-queue'
import type { ServerEvent } from '../observe/server-event.ts'

/** The fair queue of a service, which lets probes pass. */
export interface ServiceQueue extends FairQueue {
  /**
   * Starts a probe from any address: the first in a turn of the event loop at once, each further probe in the next
   * turn. A probe that waited behind other requests would get a healthy process restarted. It does not count as a
   * client for which others make room. More than 50 probes a second wait like other requests.
   */
  enterProbe(request: HttpRequest): ReturnType<FairQueue['enter']>
}

/** Far more than load balancers send, and too few to slow down others. */
const probesPerSecond = 50

interface QueueParts {
  readonly addresses: AddressReader
  readonly emit: Emit<Extract<ServerEvent, { type: 'address.throttled' }>>
}

/**
 * Creates the fair queue of a service, or `null` without the option.
 *
 * @throws TypeError if it cannot be created.
 */
export function createServiceQueue(
  create: ((parts: Required<Pick<FairQueueOptions, 'addresses' | 'onThrottled'>>) => FairQueue) | undefined,
  { addresses, emit }: QueueParts,
): ServiceQueue | null {
  if (create === undefined) return null
  if (typeof create !== 'function')
    throw new TypeError('"http.fairQueue" must be createFairQueue, or a function that calls it')
  return withProbes(
    create({
      addresses,
      onThrottled: ({ address, share }) =>
        emit({ type: 'address.throttled', address, share, setting: 'http.fairQueue' }),
    }),
  )
}

function withProbes(queue: FairQueue): ServiceQueue {
  const place = createOneATurn()
  let second = 0
  let probes = 0
  return {
    ...queue,
    enterProbe(request) {
      const now = Math.floor(performance.now() / 1_000)
      if (now !== second) {
        second = now
        probes = 0
      }
      if (probes++ >= probesPerSecond) return queue.enter(request)
      const verdict = { ok: true, request } as const
      return place()?.then(() => verdict) ?? verdict
    },
  }
}
