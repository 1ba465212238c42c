import type { Emit } from '@latchkey/events'
import { type AddressReader, createFairTurns, type FairTurns, type TurnLimits } from '@latchkey/http'
import type { AddressSlowedEvent } from './server-event.ts'

/** Lets one address that sends without pause delay all others: for load tests from one machine. */
export const allowOneAddressToDelayAll: unique symbol = Symbol('allowOneAddressToDelayAll')

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
): FairTurns | null {
  if (turns === allowOneAddressToDelayAll) return null
  if (turns !== undefined && (typeof turns !== 'object' || turns === null)) {
    throw new TypeError('"turns" must be an object with limits, or allowOneAddressToDelayAll')
  }
  for (const name of ['addresses', 'onSlowed', 'now']) {
    if (turns && Object.hasOwn(turns, name))
      throw new TypeError(`"turns" has no option "${name}": it is the service's own`)
  }
  try {
    return createFairTurns({
      ...turns,
      addresses,
      onSlowed: ({ address, share }) => emit({ type: 'address.slowed', address, share, setting: 'turns' }),
    })
  } catch (cause) {
    throw new TypeError(`"turns": ${cause instanceof Error ? cause.message : 'they cannot be used'}`, { cause })
  }
}
