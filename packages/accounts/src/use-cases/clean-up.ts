import { describeFailure } from '@latchkey/store'
import type { AccountsContext } from '../accounts-context.ts'

/**
 * Removes what a change of the account has made worthless already. The account decides what counts, so what is left
 * behind opens nothing: a store that fails here is an event, and the answer is that the change was made.
 */
export async function cleanUp(
  { emit }: AccountsContext,
  accountId: string,
  work: readonly Promise<unknown>[],
): Promise<void> {
  const outcomes = await Promise.allSettled(work)
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) emit({ type: 'clean-up-failed', accountId, failure: describeFailure(failed.reason) })
}
