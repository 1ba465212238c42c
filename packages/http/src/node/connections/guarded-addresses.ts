import { type AddressShare, createAddressShare } from './address-share.ts'

/** An address with open connections. */
export interface GuardedAddress {
  readonly share: AddressShare
  /** Whether new connections are guarded. */
  isSuspect(): boolean
  /** Guards the connections of the address, and new connections for ten minutes. */
  suspect(): void
  /** Adds a connection: `guard` is called once the address is suspect. */
  add(guard: () => void): Added
}

export interface Added {
  /** Forgets the connection. */
  readonly remove: () => void
}

const suspectMs = 600_000
const suspectsAtMost = 10_000

/** Keeps addresses with a connection, and the time until which an address is suspect. */
export function createGuardedAddresses(): { find(key: string | null): GuardedAddress } {
  const open = new Map<string, GuardedAddress>()
  const suspects = new Map<string, number>()
  const suspect = (key: string): void => {
    suspects.delete(key)
    suspects.set(key, performance.now() + suspectMs)
    const [oldest] = suspects.keys()
    if (suspects.size > suspectsAtMost && oldest !== undefined) suspects.delete(oldest)
  }
  return {
    find(key) {
      if (key === null) return createGuardedAddress({})
      const found = open.get(key)
      if (found) return found
      const address = createGuardedAddress({
        isKnown: (suspects.get(key) ?? 0) > performance.now(),
        onSuspect: () => suspect(key),
        onEmpty: () => open.delete(key),
      })
      open.set(key, address)
      return address
    },
  }
}

interface AddressParts {
  readonly isKnown?: boolean
  readonly onSuspect?: () => void
  readonly onEmpty?: () => void
}

function createGuardedAddress({ isKnown = false, onSuspect, onEmpty }: AddressParts): GuardedAddress {
  const guards = new Set<() => void>()
  let isSuspect = isKnown
  return {
    share: createAddressShare(),
    isSuspect: () => isSuspect,
    suspect() {
      onSuspect?.()
      if (isSuspect) return
      isSuspect = true
      for (const guard of guards) guard()
    },
    add(guard) {
      guards.add(guard)
      const remove = (): void => {
        if (guards.delete(guard) && guards.size === 0) onEmpty?.()
      }
      return { remove }
    },
  }
}
