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
 * Refuses the link of a mail. An unknown one counts as a wrong password does. It was looked for before: a right one works from an
 * address from which others flood.
 *
 * @throws AccountsError ATTEMPTS_RATE_LIMITED when too many came from the address.
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
