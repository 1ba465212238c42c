import { createMemoryCounterStore } from '@latchkey/store'
import type { JudgedAttempt } from '../attempt.ts'

/** Counts who asks for mails to any mailbox, by the address of the client. */
export interface AskingAddresses {
  /**
   * Counts a request, whether or not it leads to a mail: what is withheld later says nothing about earlier mailboxes. It reads and
   * writes no store. A known device is not counted, and neither is an address that is not known.
   * @returns `false`: the address has asked for as many as it may within the hour.
   */
  take(attempt: Pick<JudgedAttempt, 'address' | 'device'>): Promise<boolean>
}

export interface AskingAddressesOptions {
  readonly requestsPerAddress: number
  readonly now: () => number
}

const windowMs = 3_600_000

/** Beyond them the address that has asked for least makes room. */
const addressesAtMost = 10_000

export function createAskingAddresses({ requestsPerAddress, now }: AskingAddressesOptions): AskingAddresses {
  const counters = createMemoryCounterStore({ now, countersAtMost: addressesAtMost })
  return {
    async take({ address, device }) {
      if (address === null || device !== null) return true
      return (await counters.hit(address, windowMs)).count <= requestsPerAddress
    },
  }
}
