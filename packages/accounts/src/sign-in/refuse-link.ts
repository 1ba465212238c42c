import type { LinkPurpose } from '../accounts-event.ts'
import type { JudgedAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import { invalidLink, type Rejection } from '../errors.ts'
import { countUnknownLink } from './guard-guesses.ts'

interface RefusedLink {
  readonly purpose: LinkPurpose
  /** Whether there is no such link: made up, used or expired. */
  readonly isUnknown: boolean
  readonly accountId?: string | null
  readonly durationMs?: number
}

/**
 * Refuses the link of a mail. An unknown link counts as a wrong password does. It is counted after the lookup, so a
 * right link works from an address that floods.
 *
 * @throws AccountsError ATTEMPTS_RATE_LIMITED if too many came from the address.
 */
export async function refuseLink(
  context: AccountsContext,
  attempt: JudgedAttempt,
  { isUnknown, ...said }: RefusedLink,
): Promise<Rejection<'link-invalid'>> {
  if (isUnknown) await countUnknownLink(context, attempt)
  context.emit({ type: 'link.refused', ...attempt, ...said })
  return invalidLink
}
