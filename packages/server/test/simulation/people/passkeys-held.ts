import type { Person } from './person.ts'

/** Whether the service has a passkey of theirs, or may have or get it. */
export const hasPasskey = ({ passkeys: { perhaps, pending } }: Person): boolean => perhaps !== null || pending !== null

/** Remembers that there is none, unless a registration has no answer yet. */
export function forgetPasskey({ passkeys }: Person): void {
  if (passkeys.underWay === 0) passkeys.perhaps = null
}
