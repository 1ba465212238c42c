import type { Rule } from '../../deeds/rule.ts'
import { limits } from '../../service/terms.ts'

/** While the stores do not answer, an operation fails within its bound, or is finished within a longer one. */
export const answeredInTime: Rule = ({ outcome, claims, waitedMs }) => {
  // A change by a session fails only after it is finished, and then because the old session could not be revoked.
  const isPerhapsFinished = outcome.kind !== 'failed' || (claims.presents !== undefined && claims.sets !== undefined)
  const bound = isPerhapsFinished ? limits.answerMs : limits.outageMs
  return waitedMs > bound ? `its answer took more than ${bound} ms in which nothing else happened` : null
}
