import { createMemoryCounterStore } from '@latchkey/store'
import type { JudgedAttempt } from '../attempt.ts'

/** Counts the mails that each client address requests, over all mailboxes. */
export interface AskingAddresses {
  /**
   * Counts a request, whether or not it leads to a mail, so that a withheld mail reveals no earlier mailbox. It uses no
   * store. Known devices and unknown addresses are not counted.
   * @returns `false` if the address has reached its limit within the hour.
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
